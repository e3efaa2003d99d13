import Glibc
import SluiceTerminalUI
import Testing

/// The stored pictures as text. `UPDATE_SCREENS=1` rewrites them.
enum Pictures {
    static func check(_ name: String, _ buffer: CellBuffer) throws {
        let path = folder + "/\(name).txt"
        let drawn = buffer.lines.joined(separator: "\n") + "\n"
        if getenv("UPDATE_SCREENS") != nil {
            try write(drawn, to: path)
            return
        }
        let kept = try #require(read(path), "no picture \(name): UPDATE_SCREENS=1 draws it")
        let change = drawn.split(separator: "\n", omittingEmptySubsequences: false)
            .difference(from: kept.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(drawn == kept, "\(name) differs in \(change.count) lines:\n\(drawn)")
    }

    private static var folder: String {
        let file = #filePath
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return file[..<slash] + "/Screens"
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) throws {
        mkdir(folder, 0o755)
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }
}
