import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Suggestions and completions in real shells. They never run or expand any part of a name.
@Suite("end to end: names in shells", .serialized)
struct ShellTests {
    /// Names that a shell would make something else of.
    static let names = [
        "$(touch X)", "a b", "it's", "say \"hi\"", "*", "a\\b", "`touch X`;touch X", "~", "{a,b}",
        "=ls", "!!", "-n",
    ]
    static let completed = names.prefix(6)

    enum Kind: String, CaseIterable, Sendable {
        case bash, zsh, fish

        /// The command that starts it without personal settings.
        var words: [String] {
            switch self {
            case .bash: ["--norc", "--noprofile", "-i"]
            case .zsh: ["-f", "-i"]
            case .fish: ["--no-config", "-i"]
            }
        }

        /// The commands that load the completion and set a prompt to wait for.
        func setUp(_ program: String) -> String {
            let alias = "export PATH=\"$(dirname \(program)):$PATH\""
            switch self {
            case .bash: return "\(alias); eval \"$(sluice completion bash)\"; PS1='ready'\"> \""
            case .zsh:
                return "\(alias); autoload -U compinit && compinit -u -D; "
                    + "eval \"$(sluice completion zsh)\"; PS1='ready'\"> \""
            case .fish:
                return "set -x PATH (dirname \(program)) $PATH; sluice completion fish | source; "
                    + "function fish_prompt; echo -n 'ready''> '; end"
            }
        }
    }

    /// A place with a paused queue of each name.
    private func place(_ names: [String]) throws -> Workplace {
        let place = try Workplace.withStore()
        for name in names {
            try place.expecting(0, place.sluice(["enqueue", "--", name, "t"]))
            try place.expecting(0, place.sluice(["pause", "--", name]))
        }
        return place
    }

    private func pauses(_ place: Workplace, _ name: String) throws -> Int? {
        let queues = try place.json(["queues"])["queues"]?.array ?? []
        return queues.first { $0["name"]?.string == name }?["pauses"]?.array?.count
    }

    @Test("P5 a suggested command, copied into a shell, does what it says")
    func suggestions() async throws {
        try await Workplace.onOwnThread {
            let place = try self.place(Self.names)
            let program = try BuiltProgram.path()
            let commands = try Self.names.indices.map { index in
                let why = try place.json(["why", "\(index + 1)"])
                let fix = try #require(why["blockers"]?[0]?["fix"]?.string)
                return "\(program) " + fix.dropFirst("sluice ".count)
            }
            for kind in Kind.allCases {
                let lines = commands.joined(separator: "\n")
                let ran = try place.start(kind.rawValue, ["-c", lines]).answer()
                #expect(ran.code == 0, "\(kind): \(ran)")
                for name in Self.names {
                    #expect(try self.pauses(place, name) == 0, "\(kind): \(name)")
                    try place.expecting(0, place.sluice(["pause", "--", name]))
                }
            }
            #expect(!Files.exists(place.file("X")))
        }
    }

    @Test("P5 a completed name is that queue and nothing else", arguments: Kind.allCases)
    func completions(_ kind: Kind) async throws {
        try await Workplace.onOwnThread {
            try self.complete(Self.completed.map { (try self.place([$0]), $0) }, in: kind)
        }
    }

    @Test("P5 a name that is taken for another thing is not offered", arguments: Kind.allCases)
    func unoffered(_ kind: Kind) async throws {
        try await Workplace.onOwnThread {
            let names = kind == .fish ? ["-n", "~"] : ["-n"]
            try self.complete(names.map { (try self.place([$0, "other"]), "other") }, in: kind)
        }
    }

    @Test("P5 a word with an open quote is completed as it was begun", arguments: Kind.allCases)
    func openQuotes(_ kind: Kind) async throws {
        try await Workplace.onOwnThread {
            let typed = ["\"\\$", "'$(", "\"a ", "'a ", "\"i", "a\\ "]
            let names = ["$(touch X)", "$(touch X)", "a b", "a b", "it's", "a b"]
            try self.complete(names.map { (try self.place([$0]), $0) }, typing: typed, in: kind)
        }
    }

    /// Resumes the only offered queue in each place by completing a typed prefix.
    private func complete(
        _ cases: [(place: Workplace, name: String)], typing typed: [String] = [], in kind: Kind
    ) throws {
        let home = cases[0].place
        let session = try TerminalSession(
            kind.rawValue, kind.words,
            environment: ["HOME=\(home.path)", "HISTFILE=/dev/null"], directory: home.path,
            columns: 200)
        try session.send(kind.setUp(try BuiltProgram.path()) + "\r")
        try session.wait(forText: "ready> ", timeoutSeconds: 60)
        for (number, (place, name)) in cases.enumerated() {
            let begun = "sluice resume " + (typed.isEmpty ? "" : typed[number])
            try session.send("clear; export SLUICE_STORE=\(place.store)\r")
            // Input typed before the prompt is echoed on its line.
            try session.wait("the prompt of \(kind)", timeoutSeconds: 60) { screen in
                let lines = screen.lineTexts.map { $0.filter { $0 != " " } }
                return lines.filter { !$0.isEmpty } == ["ready>"]
            }
            try session.send("\(begun)\t")
            try session.wait("\(name) in \(kind)", timeoutSeconds: 60) { screen in
                screen.lineTexts.contains { line in
                    line.hasPrefix("ready> sluice resume ") && line.count > "ready> \(begun)".count
                }
            }
            try session.send("\r")
            try place.wait(for: "\(name) to be resumed by \(kind)") {
                try self.pauses(place, name) == 0
            }
        }
        #expect(!Files.exists(home.file("X")))
    }
}
