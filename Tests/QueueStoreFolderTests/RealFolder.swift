import SluicePlatform

/// A folder that the SDK wrote, kept beside the tests. None of them writes into it.
enum RealFolder {
    static let path = Files.parent(of: #filePath) + "/Fixtures/customer-io-v1"
}
