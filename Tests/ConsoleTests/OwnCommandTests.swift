import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// Shell commands on keys of the keys file.
@Suite("own commands")
struct OwnCommandTests {
    private func bench(
        _ keys: String, payload: String = #"{"order":7}"#, size: Size = Size(width: 80, height: 24)
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        let bytes = Array(payload.utf8)
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            _ = try store.reserveTaskIDs(2)
            let tasks = (1...2).map { id in
                QueueTask(
                    id: TaskID(id), queue: "mail", type: "send", position: Int64(id),
                    createdAt: LivingScene.now)
            }
            try store.insert(tasks.map { NewTask(task: $0, payload: bytes) })
        }
        let bench = Bench(store: store, size: size, now: LivingScene.now)
        bench.state.settings.keys = try Keymap(keys)
        return bench
    }

    private func launches(_ bench: Bench) -> [OwnLaunch] {
        bench.takeEffects().compactMap { if case .runOwn(let launch) = $0 { launch } else { nil } }
    }

    @Test(
        "K9 a command is shown and asked about once a session, and runs for the cursor's task")
    func asked() throws {
        let bench = try bench("F6 = !less logs/${id}.log # no comment\nF7 = !& open ${type} $HOME")
        bench.press("F6")
        #expect(launches(bench) == [])
        #expect(bench.screen.contains("less logs/1.log # no comment"), "\(bench.screen)")
        #expect(bench.screen.contains("it takes the terminal until it ends"))
        bench.press("n")
        #expect(bench.message.contains("nothing was changed") && launches(bench) == [])
        bench.press("F6 y")
        let first = try #require(launches(bench).first)
        #expect(first.script == "less logs/\"${SLUICE_OWN_1}\".log # no comment")
        #expect(first.variables == ["SLUICE_OWN_1=1"] && !first.isBackground)
        bench.send(.ran(first, OwnLaunch.End("ended with exit code 3", isFailure: true)))
        #expect(bench.screen.contains("$ less logs/1.log"), "\(bench.screen)")
        #expect(bench.screen.contains("ended with exit code 3"))
        #expect(!bench.screen.contains("sluice less"))
        bench.press("j F6")
        #expect(launches(bench).map(\.variables) == [["SLUICE_OWN_1=2"]])
        bench.press("F7")
        #expect(launches(bench) == [], "another command is asked about too")
        #expect(bench.screen.contains("it runs in the background, and its output is dropped"))
        bench.press("y")
        let second = try #require(launches(bench).first)
        #expect(second.isBackground && second.script == "open \"${SLUICE_OWN_1}\" $HOME")
    }

    @Test("K1 a question keeps its task, although the cursor's task went")
    func target() throws {
        let bench = try bench("F6 = !show ${id}")
        bench.press("F6")
        try bench.change { try $0.remove([1]) }
        bench.press("y")
        #expect(launches(bench).first?.variables == ["SLUICE_OWN_1=1"])
    }

    static let values: [(payload: String, shown: String, variable: String)] = [
        (#"{"order":7}"#, "7", "7"), (#"{"order":"a b"}"#, "'a b'", "a b"),
        (#"{"order":"'; rm -rf ~; '"}"#, #"\''; rm -rf ~; '\'"#, "'; rm -rf ~; '"),
        (#"{"order":"$(reboot)`id`"}"#, "'$(reboot)`id`'", "$(reboot)`id`"),
        (#"{"order":{"a":[1]}}"#, #"'{"a":[1]}'"#, #"{"a":[1]}"#),
        (#"{"order":""}"#, "''", ""), (#"{"order":"é👩"}"#, "'é👩'", "é👩"),
    ]

    @Test(
        "K11 a value of a payload reaches the shell as a variable",
        arguments: values)
    func payloads(payload: String, shown: String, variable: String) throws {
        let bench = try bench("F7 = !& open https://x/${payload.order}", payload: payload)
        bench.press("F7 y")
        let launch = try #require(launches(bench).first)
        #expect(launch.script == "open https://x/\"${SLUICE_OWN_1}\"")
        #expect(launch.variables == ["SLUICE_OWN_1=\(variable)"])
        #expect(launch.shown == "open https://x/\(shown)")
    }

    static let refused: [(payload: String, said: String)] = [
        (#"{"orders":7}"#, "#1: it has no payload.order"),
        (#"{"order":null}"#, "#1: it has no payload.order"), ("no json", "it has no payload.order"),
        ("", "it has no payload.order"),
        ("{\"order\":\"a\\u001b[2Jb\"}", "payload.order has control signs"),
        ("{\"order\":\"a\\nb\"}", "payload.order has control signs"),
        ("{\"order\":\"a\\u0000b\"}", "payload.order has control signs"),
        (
            "{\"order\":\"\(String(repeating: "a", count: 65_537))\"}",
            "payload.order has more than 64 KiB"
        ),
    ]

    @Test("a value that is missing or not fit stops the command", arguments: refused)
    func refusals(payload: String, said: String) throws {
        let bench = try bench("F7 = !& open ${payload.order}", payload: payload)
        bench.press("F7")
        #expect(bench.message.contains(said), "\(bench.message)")
        #expect(bench.message.contains("the command was not run"))
        bench.press("y")
        #expect(launches(bench) == [] && bench.state.modal == nil)
    }

    @Test("in double quotes the variable is bare, and the shown value is escaped")
    func doubleQuotes() throws {
        let bench = try bench(
            #"F7 = !& open "a \" ${payload.order}" \${id} '"' ${id}"#,
            payload: #"{"order":"\"; rm -rf $HOME; \""}"#)
        bench.press("F7 y")
        let launch = try #require(launches(bench).first)
        #expect(
            launch.script
                == #"open "a \" ${SLUICE_OWN_1}" \${id} '"' "${SLUICE_OWN_2}""#)
        #expect(launch.shown == #"open "a \" \"; rm -rf \$HOME; \"" \${id} '"' 1"#)
    }

    @Test("what needs no task runs without one; marks and pages that hide the task are refused")
    func reasons() throws {
        let bench = try bench("F6 = !show ${id}\nF7 = !top\nF8 = !list ${queue}")
        bench.press("Space F6")
        #expect(bench.message.contains("Esc takes the marks away"))
        bench.press("Esc ? F6")
        #expect(bench.message.contains("Esc goes back first"))
        bench.press("F7 y Esc Enter F6 y F8 y")
        #expect(launches(bench).map(\.shown) == ["top", "show 2", "list mail"])
    }

    @Test("a key that is typed while its payload is read drops the command")
    func late() throws {
        let bench = try bench("F7 = !& open ${payload.order}")
        let bytes = Array(#"{"order":1}"#.utf8)
        bench.send(.payload(of: 1, .success(bytes)))
        #expect(bench.state.modal == nil, "nothing waits for it")
        bench.press(":")
        bench.state.own.pending = .init(
            command: try #require(bench.state.settings.keys.own.first).command,
            task: bench.state.selectedLine?.task, queue: "mail")
        bench.send(.payload(of: 1, .success(bytes)))
        guard case .prompt? = bench.state.modal else {
            Issue.record("the line was replaced")
            return
        }
    }

    @Test("principle 5 such keys are in ? and in the palette, which runs them")
    func shown() throws {
        let bench = try bench(
            "F6 = !less logs/${id}.log\nF7 = !& open ${payload.order}",
            size: Size(width: 120, height: 60))
        bench.press("?")
        #expect(bench.screen.contains("own commands"), "\(bench.screen)")
        #expect(bench.screen.contains("F6  terminal        less logs/${id}.log"))
        #expect(bench.screen.contains("F7  background      open ${payload.order}"))
        bench.press("Esc :")
        bench.type("less log")
        #expect(bench.screen.contains("own command, takes the terminal"), "\(bench.screen)")
        bench.press("Enter y")
        #expect(launches(bench).map(\.shown) == ["less logs/1.log"])
        bench.press("Space :")
        bench.type("less log")
        #expect(bench.screen.contains("Esc takes the marks away"))
    }

    static let wrong: [(text: String, message: String, fix: String)] = [
        ("F6 = !", "the command after ! is missing", "F6 = !COMMAND"),
        ("F6 = !&  ", "the command after ! is missing", "F6 = !COMMAND"),
        ("F6 = !less '${id}'", "${id} is in single quotes", "take them away"),
        ("F6 = !less ${payload}", "${payload} is no path of a payload", "${payload.user.id}"),
        ("F6 = !less ${payload.a:-0}", "is no path of a payload", "${payload.user.id}"),
        ("F6 = !less ${payload.a,b}", "is no path of a payload", "${payload.user.id}"),
        ("F6 = !a\u{1b}[2J", "the command has a control sign", "take it out"),
        ("x = !less", "x is the key of skip", "none = skip"),
        ("Esc = !less", "Esc always means the same", "another"),
        ("none = !less", "there is no key \"none\"", "Tab"),
        ("F6 = !less\nF6 = run", "F6 was given to !less in line 1", "another"),
    ]

    @Test("what is wrong in a line with a command is said with its fix", arguments: wrong)
    func mistakes(text: String, message: String, fix: String) {
        let problem = #expect(throws: SettingsText.Problem.self) { try Keymap(text) }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.fix.contains(fix) == true, "\(problem?.fix ?? "")")
    }

    @Test("the key = takes a command, and other lines keep their meaning")
    func lines() throws {
        let keys = try Keymap("= = !FOO=1 less a#b # c\n! = skip\nX = undo # a = !b\nx = !& top\n")
        #expect(keys.own.map(\.command.text) == ["FOO=1 less a#b # c", "top"])
        #expect(keys.own.map(\.key.name) == ["=", "x"])
        #expect(keys.name(of: .skip) == "!" && keys.name(of: .undo) == "X")
    }
}
