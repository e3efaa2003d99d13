import SluiceSystem

/// The folder of the package, for tests that read its files.
package enum Project {
    package static let folder = Files.parent(
        of: Files.parent(of: Files.parent(of: Files.parent(of: #filePath))))
}
