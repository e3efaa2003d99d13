import SluiceControl
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("Every option of every verb refuses a wrong value")
struct WrongValueTests {
    /// A command line that would be understood without the wrong option.
    private static let arguments: [String: [String]] = [
        "step": ["q"], "run": ["q"], "pause": ["q"], "resume": ["q"], "postpone": ["1", "+1m"],
        "priority": ["1", "3"], "move": ["1", "--first"], "edit": ["1", "--set", "priority=2"],
        "enqueue": ["q", "t"], "network": ["on"], "queue set": ["q"], "queue delete": ["q"],
        "forecast": ["q"], "groups": ["q"], "why": ["1"], "show": ["1"], "completion": ["bash"],
        "work": ["--handlers", "/nowhere"],
    ]

    private static let wrongTexts: [String: String] = [
        "--filter": "bogus:x", "--by": "", "--set": "x", "--attempts": "0", "--timeout": "soon",
        "--keep-finished": "some", "--retention": "soon", "--expires": "soon",
        "--max-length": "0", "--until": "later", "--queues": ",", "--unique": "",
        "--group": "", "--group-start": "", "--session": "", "--probe": "here",
    ]

    /// A value that the option does not take; nil where any text will do.
    private static func wrong(_ option: Command.Option) -> String? {
        switch option.value {
        case .flag: "yes"
        case .choice, .choiceOrFile: "nonsense"
        case .duration, .time, .number, .size, .retryRule: "some day"
        case .task: "x y"
        case .queue: ""
        case .file: option.name == "--store" ? "" : "/nowhere/at/all"
        case .text, .bytes: wrongTexts[option.name]
        }
    }

    static let cases: [[String]] = Action.commandsByName.flatMap { named in
        let command = named.command
        let usual = arguments[command.name] ?? (command.argumentValues.isEmpty ? [] : ["1"])
        return command.allOptions.compactMap { option -> [String]? in
            guard let value = wrong(option) else { return nil }
            var words = command.name.split(separator: " ").map(String.init)
            let replacesArguments =
                ["--filter", "--jsonl", "--task"].contains(option.name) || command.name == "work"
            words += replacesArguments && command.name != "enqueue" ? [] : usual
            if option.name == "--jsonl" { words = ["enqueue", "q"] }
            if command.name == "move", ["--filter", "--before", "--after"].contains(option.name) {
                words = ["move"] + (option.name == "--filter" ? ["--queue", "q"] : ["1"])
            }
            if command.name == "priority" || command.name == "postpone",
                option.name == "--filter"
            {
                words = [command.name, command.name == "priority" ? "3" : "+1m"]
            }
            return words + ["\(option.name)=\(value)"]
        }
    }

    @Test("a wrong value is exit 2 and changes nothing", arguments: cases)
    func refuses(_ words: [String]) throws {
        let bench = Bench()
        _ = bench("enqueue q t --quiet")
        let before = try bench.contents()
        let outcome = bench.run(words)
        #expect(outcome.exit == .usage, "\(words) said \(outcome.errors)")
        #expect(try bench.contents() == before)
    }

    @Test("there are many of them")
    func covers() { #expect(Self.cases.count > 150) }
}
