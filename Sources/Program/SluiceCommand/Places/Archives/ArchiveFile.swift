import SluiceModel
import SluiceSystem

/// A file that holds a folder packed, as testers send it.
enum ArchiveFile {
    private static let kinds: [(name: String, magic: [UInt8], offset: Int, command: String)] = [
        ("a zip archive", [0x50, 0x4B, 3, 4], 0, "unzip"),
        ("a tar archive", Array("ustar".utf8), 257, "tar -xf"),
        ("a compressed archive", [0x1F, 0x8B], 0, "tar -xzf"),
    ]

    /// The name of the folder for the content of an archive.
    static func stem(of path: String) -> String {
        let name = Files.lastName(of: path)
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        return stem == name ? "\(stem)-folder" : stem
    }

    /// The refusal of an archive, with the commands that unpack it and open the result; `nil` for
    /// any other file. A reason says why a zip archive cannot be read as it is.
    static func refusal(of path: String, because reason: String? = nil) -> QueueError? {
        guard Files.kind(path) == .file,
            let file = try? FileDescriptor(opening: path, flags: 0),
            case .bytes(let head)? = try? file.read(atMost: 512),
            let kind = kinds.first(where: { head.dropFirst($0.offset).starts(with: $0.magic) })
        else { return nil }
        let (packed, target) = (ShellWord.quoted(path), ShellWord.quoted(stem(of: path)))
        let isZip = kind.command == "unzip"
        let unpack =
            isZip
            ? "\(kind.command) \(packed) -d \(target)"
            : "mkdir \(target) && \(kind.command) \(packed) -C \(target)"
        let look = isZip && reason == nil ? "open it with --read-only, or " : ""
        return QueueError(
            .notAStore, "\(path) is \(kind.name)" + (reason.map { ": \($0)" } ?? ""),
            fix: "\(look)unpack it, then open the folder: \(unpack) && sluice --read-only "
                + "--store \(target)")
    }
}
