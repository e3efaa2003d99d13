import SluiceSystem
import SluiceTestSupport
import Testing

/// One session of a document, run in an empty folder by one shell.
struct DocumentRun {
    let session: DocumentPlan.Session
    let steps: [DocumentBlock.Step]
    private let place: Workplace

    init(_ session: DocumentPlan.Session, of blocks: [DocumentBlock]) throws {
        self.session = session
        steps = blocks.filter { block in
            block.place.file == session.file && block.place.heading == session.heading
                && session.numbers.contains(block.place.number)
        }.flatMap(\.steps)
        place = try Workplace()
    }

    /// The differences from the document, one text per command.
    func faults() throws -> [String] {
        var commands = steps
        let console =
            commands.last.map { Self.opensConsole($0.command) } == true
            ? commands.popLast() : nil
        let answer = try place.start("bash", ["-c", script(commands)]).answer()
        var faults: [String] = []
        let parts = answer.output.split(separator: "\u{1e}", omittingEmptySubsequences: false)
            .dropFirst().map(String.init)
        if parts.count != commands.count { faults.append("ended early: \(answer)") }
        for (step, part) in zip(commands, parts) {
            let ends = part.split(
                separator: "\u{1d}", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            let code = ends.count > 1 ? ends[1].prefix { $0.isNumber } : "none"
            if step.output.isEmpty {
                let isExpected = code == "0"
                if !isExpected { faults.append("\(step.command)\n→ exit \(code)\n\(ends[0])") }
            } else if !DocumentMask.holds(ends[0], as: step.output) {
                faults.append(
                    "\(step.command)\nthe document shows:\n\(step.output)printed:\n\(ends[0])")
            }
        }
        if let console { try open(console) }
        return faults
    }

    /// A script with marks between commands. An output ends at its mark, and `$?` belongs to the
    /// command.
    private func script(_ commands: [DocumentBlock.Step]) -> String {
        let program = Files.parent(of: (try? BuiltProgram.path()) ?? "")
        var lines = [
            "exec 2>&1 </dev/null", "unset SLUICE_STORE", "export SLUICE_USER=ann",
            "export HOME=$PWD/home; mkdir -p home work; cd work", "PATH=\"\(program):$PATH\"",
            "set -m", "c=0",
        ]
        lines += session.before.map { "{ \($0)\n} >/dev/null || exit 99" }
        for step in commands {
            lines += ["printf '\\036'; (exit $c)", step.command, "c=$?; printf '\\035%s\\n' $c"]
            lines += session.behind.filter { step.command.hasPrefix($0.command) }.map(\.line)
        }
        return (lines + ["kill $(jobs -p) 2>/dev/null; wait"]).joined(separator: "\n")
    }

    /// Whether a command opens the console: `sluice` alone, or with a store.
    static func opensConsole(_ command: String) -> Bool {
        let words = command.split(separator: " ")
        return words.first == "sluice"
            && (words.count == 1
                || words.count == 2
                    && (words[1].hasSuffix(".tape") || words[1].hasSuffix(".db")))
    }

    private func open(_ step: DocumentBlock.Step) throws {
        let words = step.command.split(separator: " ").dropFirst().map(String.init)
        let console = try TerminalSession(
            BuiltProgram.path(), words, environment: ["HOME=\(place.file("home"))"],
            directory: place.file("work"))
        try console.wait(forText: "? help")
        try console.send("q")
        if words.last?.hasSuffix(".tape") == true { try console.kill(.terminate) }
        _ = try console.waitForExit()
    }
}
