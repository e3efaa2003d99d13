import SluiceModel
import SluiceSystem

/// An extended attribute with the task and the address of a downloaded file.
///
/// It survives a rename. After a crash between the rename and the commit, the next attempt finds
/// the completed file.
struct FileMark: Hashable, Sendable {
    static let attribute = "user.sluice.download"

    private let bytes: [UInt8]

    /// The mark of a task that downloads from an address.
    init(key: String, url: String) {
        let hash = Fingerprint(of: url).value
        bytes = Array("\(key) \(String(hash, radix: 16))".utf8)
    }

    /// Marks a file; where its file system keeps no attributes it stays without.
    func put(on file: FileDescriptor) { file.setAttribute(Self.attribute, bytes) }

    func isOn(_ file: FileDescriptor) -> Bool { file.attribute(Self.attribute) == bytes }
}
