import SluiceModel
import SluicePlatform

/// An extended attribute by which a download's file says whose it is: which task's, from where.
///
/// It survives the file's renaming. So an execution that comes after a crash between the placing of
/// its file and the commit of its success finds that all was done.
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

    /// Whether a file has this mark.
    func isOn(_ file: FileDescriptor) -> Bool { file.attribute(Self.attribute) == bytes }
}
