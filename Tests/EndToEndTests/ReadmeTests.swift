import SluicePlatform
import SluiceProgramHarness
import Testing

/// The README's commands, run as they are printed.
@Suite("end to end: the README")
struct ReadmeTests {
    @Test("A3 D1 D3 the README's own queue works as printed")
    func ownQueue() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let folder = Files.parent(of: try BuiltProgram.path())
            let block = try Self.block()
            // The person's own folder and screen stay out of the test.
            let lines = block.filter { line in
                !line.hasPrefix("export ") && !line.hasPrefix("mkdir ") && !line.isConsole
            }
            try #require(lines.count == block.count - 3)
            let script = ["set -e", "unset SLUICE_STORE", "PATH=\"\(folder):$PATH\""] + lines
            let ended = try place.start(
                "sh", ["-c", (script + ["kill $!", "wait $! || true"]).joined(separator: "\n")]
            ).answer()
            #expect(ended.code == 0, "\(ended)")
            #expect(place.text("sent.txt") == #"{"to":"kim"}"#)
            #expect(ended.output.contains("looking"), "\(ended)")
            let answer = try place.sluice(["list", "mail", "--store", place.file("sluice.db")])
            #expect(answer.output.contains("render"))
        }
    }

    /// The lines of the shell block below "Your own queue".
    private static func block() throws -> [String] {
        let root = Files.parent(of: Files.parent(of: Files.parent(of: #filePath)))
        let text = String(
            decoding: try Files.read("\(root)/README.md", limitBytes: 1 << 20), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let title = try #require(lines.firstIndex(of: "## Your own queue"))
        let begin = try #require(lines[title...].firstIndex(of: "```sh"))
        let end = try #require(lines[begin...].firstIndex(of: "```"))
        return Array(lines[(begin + 1)..<end])
    }
}

extension String {
    /// Whether the line opens the console.
    fileprivate var isConsole: Bool { self == "sluice" || hasPrefix("sluice   ") }
}
