import SluiceSystem

/// A folder written by the SDK, next to the tests. Tests never write to it.
enum RealFolder {
    static let path = Files.parent(of: #filePath) + "/Fixtures/customer-io-v1"
}
