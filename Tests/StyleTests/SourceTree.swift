import SluiceSystem
import Testing

/// A file of the tree, by its path from the package's root.
struct SourceFile: Sendable, CustomStringConvertible {
    var path: String
    var lines: [String]
    var description: String { path }

    /// The target that it belongs to: `Sources/Folder/Target/…` or `Tests/Target/…`.
    var target: String {
        path.split(separator: "/").dropFirst(isTest ? 1 : 2).first.map(String.init) ?? ""
    }

    /// Its last component, without `.swift`.
    var name: String {
        String(path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
    }

    var isTest: Bool { path.hasPrefix("Tests/") }
}

/// The package's sources, located from this file's path.
enum SourceTree {
    static let root = String(#filePath.dropLast("/Tests/StyleTests/SourceTree.swift".count))

    static let swift: [SourceFile] = files(under: "Sources") + files(under: "Tests")

    static func text(_ path: String) throws -> String {
        String(decoding: try Files.read("\(root)/\(path)", limitBytes: 1 << 24), as: UTF8.self)
    }

    /// README.md, and the pages in docs and docs/foreign.
    static func pages() throws -> [String] {
        try ["README.md"]
            + ["docs", "docs/foreign"].flatMap { folder in
                try Files.list("\(root)/\(folder)").filter { $0.hasSuffix(".md") }
                    .map { "\(folder)/\($0)" }
            }
    }

    /// Whether the tree has a file or folder of that path.
    static func exists(_ path: String) -> Bool { Files.kind("\(root)/\(path)") != nil }

    private static func files(under folder: String) -> [SourceFile] {
        guard let names = try? Files.list("\(root)/\(folder)") else { return [] }
        return names.sorted().flatMap { name -> [SourceFile] in
            let path = "\(folder)/\(name)"
            if Files.kind("\(root)/\(path)") == .folder { return files(under: path) }
            guard name.hasSuffix(".swift"), let text = try? text(path) else { return [] }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return [SourceFile(path: path, lines: lines.map(String.init))]
        }
    }
}
