import SluiceSystem
import SluiceTestSupport

struct DocumentBlock {
    /// The location of a block: its file, heading, and index under that heading.
    struct Place: Hashable, CustomStringConvertible {
        var file: String
        var heading: String
        var number: Int

        var description: String { "\(file) > \(heading) > \(number)" }
    }

    /// A command of a transcript with the output below it.
    struct Step {
        var command: String
        var output = ""
    }

    let place: Place
    let language: String
    let lines: [String]

    /// The commands of a block: the lines after "$ ", or the whole block without prompts.
    var steps: [Step] {
        guard lines.contains(where: { $0.hasPrefix("$ ") }) else {
            return [Step(command: lines.joined(separator: "\n"))]
        }
        var steps: [Step] = []
        for line in lines {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if line.hasPrefix("> "), steps.last?.output == "" {
                steps[steps.count - 1].command += "\n" + line.dropFirst(2)
            } else if !steps.isEmpty {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    static let root = Project.folder

    static func text(_ path: String) throws -> String {
        String(decoding: try Files.read("\(root)/\(path)", limitBytes: 1 << 22), as: UTF8.self)
    }

    /// Every block of README.md, docs/*.md and docs/foreign/*.md, in the order of the documents.
    static func all() throws -> [DocumentBlock] {
        let pages = try ["docs", "docs/foreign"].flatMap { folder in
            try Files.list("\(root)/\(folder)").filter { $0.hasSuffix(".md") }.sorted()
                .map { "\(folder)/\($0)" }
        }
        return try (["README.md"] + pages).flatMap { file in
            blocks(of: try text(file), file: file)
        }
    }

    /// The blocks of a text. A fence ends at a line with the same number of backticks.
    static func blocks(of text: String, file: String) -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var (heading, number) = ("", 0)
        var open: (fence: String, language: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let block = open {
                if line == block.fence {
                    number += 1
                    blocks.append(
                        DocumentBlock(
                            place: Place(file: file, heading: heading, number: number),
                            language: block.language, lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                let fence = String(line.prefix { $0 == "`" })
                open = (fence, String(line.dropFirst(fence.count)), [])
            } else if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" || $0 == " " })
                number = 0
            }
        }
        return blocks
    }
}
