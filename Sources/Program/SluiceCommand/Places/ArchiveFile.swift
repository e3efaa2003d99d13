import SluiceModel
import SluicePlatform

/// A file that holds a folder packed, as testers send it.
enum ArchiveFile {
    private static let kinds: [(name: String, magic: [UInt8], offset: Int, command: String)] = [
        ("a zip archive", [0x50, 0x4B, 3, 4], 0, "unzip"),
        ("a tar archive", Array("ustar".utf8), 257, "tar -xf"),
        ("a compressed archive", [0x1F, 0x8B], 0, "tar -xzf"),
    ]

    /// The refusal of an archive, with the commands that unpack it and open the result; `nil` for
    /// any other file. The program unpacks nothing: names in an archive may lead out of its
    /// folder, and the usual programs refuse these.
    static func refusal(of path: String) -> QueueError? {
        guard Files.kind(path) == .file,
            let file = try? FileDescriptor(opening: path, flags: 0),
            case .bytes(let head)? = try? file.read(atMost: 512),
            let kind = kinds.first(where: { head.dropFirst($0.offset).starts(with: $0.magic) })
        else { return nil }
        let name = Files.lastName(of: path)
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        let folder = stem == name ? "\(stem)-folder" : stem
        let (packed, target) = (ShellWord.quoted(path), ShellWord.quoted(folder))
        let unpack =
            kind.command == "unzip"
            ? "\(kind.command) \(packed) -d \(target)"
            : "mkdir \(target) && \(kind.command) \(packed) -C \(target)"
        return QueueError(
            .notAStore, "\(path) is \(kind.name)",
            fix: "unpack it, then open the folder: \(unpack) && sluice --read-only "
                + "--store \(target)")
    }
}
