import SluiceSystem
import SluiceTestSupport
import Testing

/// Runs README.md and docs/*.md as printed.
@Suite("end to end: documents")
struct ExecutedDocumentTests {
    private static let plan = (try? DocumentBlock.text("Tests/Documents/plan.txt")) ?? ""

    @Test("each block of README and docs is run, or has a reason why not")
    func places() throws {
        let plan = DocumentPlan(Self.plan)
        #expect(plan.faults == [])
        let listed = plan.run + plan.others.keys
        #expect(Set(listed).count == listed.count, "a block has two places")
        let there = try DocumentBlock.all().map(\.place)
        #expect(there.count > 70)
        let missing = Set(there).subtracting(listed).map(\.description).sorted()
        #expect(missing == [], "no place in Tests/Documents/plan.txt")
        let gone = Set(listed).subtracting(there).map(\.description).sorted()
        #expect(gone == [], "not in the documents")
    }

    @Test("the commands of a page print what the page shows")
    func sessions() async throws {
        try await Workplace.onOwnThread {
            let plan = DocumentPlan(Self.plan)
            let blocks = try DocumentBlock.all()
            #expect(plan.sessions.count > 3)
            for session in plan.sessions where session.file != "README.md" {
                let run = try DocumentRun(session, of: blocks)
                try #require(!run.steps.isEmpty)
                for fault in try run.faults() {
                    Issue.record("\(session.file) > \(session.heading)\n\(fault)")
                }
            }
        }
    }

    @Test("A3 D1 D3 the README's own queue, typed into a terminal, leaves a clean console")
    func ownQueue() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try place.makeFolder(".build")
            let built = Files.parent(of: try BuiltProgram.path())
            try place.expecting(
                0, place.start("ln", ["-s", built, ".build/release"]).answer())
            let blocks = try DocumentBlock.all().filter {
                $0.place.file == "README.md" && $0.place.heading == "Your own queue"
            }
            let shell = try TerminalSession(
                "/bin/bash", ["--norc", "--noprofile"],
                environment: [
                    "HOME=\(place.path)", "TMPDIR=\(place.path)", "SLUICE_USER=ann", "PS1=$ ",
                    "SLUICE_TEST_FOLDER=\(place.path)",
                ], directory: place.path)
            for line in try #require(blocks.first).lines { try shell.send(line + "\r") }
            // The worker attaches before or after the console opens.
            try shell.wait(forText: "1 worker", timeoutSeconds: 60)
            try Self.expect("Tests/Documents/own-queue.txt", on: shell)
            try shell.send("s")
            try shell.wait(forText: "failed after", timeoutSeconds: 60)
            // From here on the worker has something to print.
            try shell.send("r")
            try shell.wait(forText: "2 succeeded", timeoutSeconds: 60)
            try Self.expect("Tests/Documents/own-queue-done.txt", on: shell)
            try shell.send("q")
            try shell.wait("the shell") { !$0.isAlternate }
            try shell.send("clear; cat sent.txt; kill %1; wait %1; echo ended $?\r")
            let last = try shell.wait(forText: "ended 0", timeoutSeconds: 60)
            #expect(last.text.contains(#"{"to":"kim"}"#), "\(last.text)")
        }
    }

    /// Waits until the words of the screen match a file, row by row. With `UPDATE_SCREENS` it
    /// writes the file first.
    private static func expect(_ path: String, on shell: TerminalSession) throws {
        if ProcessIdentity.environment("UPDATE_SCREENS") != nil {
            let text = masked(try shell.settle(quietMilliseconds: 2_000))
            try Files.writeAtomically(Array(text.utf8), to: "\(DocumentBlock.root)/\(path)")
        }
        let wanted = try DocumentBlock.text(path)
        try shell.wait("the screen of \(path)", timeoutSeconds: 60) { masked($0) == wanted }
    }

    private static func masked(_ screen: ScreenPicture) -> String {
        screen.lineTexts.map { DocumentMask.words($0).joined(separator: " ") + "\n" }.joined()
    }

    @Test("a mask hides what another run prints otherwise, and nothing else")
    func masks() {
        #expect(
            DocumentMask.holds("#2 b  failed after 9 ms: no", as: "#2 b failed after 11 ms: no\n"))
        #expect(
            !DocumentMask.holds("#3 b failed after 9 ms: no", as: "#2 b failed after 11 ms: no"))
        #expect(DocumentMask.holds("at 14:22:49 UTC (+0s)", as: "at 01:00:00 UTC (+10s)"))
        #expect(!DocumentMask.holds("undo 7", as: "undo 8"))
        #expect(DocumentMask.holds("a b c d", as: "a\n…\nd"))
        #expect(!DocumentMask.holds("a b c d", as: "a\n…\ne"))
        #expect(!DocumentMask.holds("a b", as: "a"))
    }
}
