import SluiceModel
import SluiceRunner
import SluiceStore
import Testing

@testable import SluiceCommand
@testable import SluiceControl

@Suite("The parser of command lines")
struct ParserTests {
    private static let now = Timestamp(milliseconds: 1_000_000)
    private static let seven = Timestamp(milliseconds: 7000)
    private static let charge = TaskFilter(.term(.field(.type, [FilterPattern("charge")])))

    private func parse(_ words: [String]) throws -> Request {
        try CommandLineParser.parse(words: words.map { Word($0) })
    }

    static let understood: [([String], Invocation)] = [
        ([], .console(ConsoleStart())),
        (["./app.db", "--theme", "mono"], .console(ConsoleStart(theme: .mono))),
        (["--ascii"], .console(ConsoleStart(isASCII: true))),
        (["--notify"], .console(ConsoleStart(notifies: true))),
        (["queues"], .query(.queues)),
        (
            ["list", "--limit=5", "q", "--state", "all"],
            .query(.list(ListCall(queue: "q", state: .all, limit: 5)))
        ),
        (["list", "--", "--limit"], .query(.list(ListCall(queue: "--limit")))),
        (["doctor", "./app.db", "--quick"], .doctor(DoctorCall(repairs: false, isQuick: true))),
        (["show", "#12"], .query(.show(.number(12)))),
        (["log", "-n", "3"], .query(.log(LogCall(limit: 3, isClose: false)))),
        (["log", "--follow"], .follow(.log(LogCall(isClose: false)))),
        (["log", "--detail", "-n", "3"], .query(.log(LogCall(limit: 3, isClose: true)))),
        (["log", "--follow", "--detail"], .follow(.log(LogCall(isClose: true)))),
        (["log", "--since", "10m"], .query(.log(LogCall(since: .fromNow(-600_000))))),
        (["log", "--since", "1970-01-01T00:00:07Z"], .query(.log(LogCall(since: .at(seven))))),
        (
            ["enqueue", "q", "t", "--not-before", "now", "--expires", "1h"],
            .change(
                .enqueue(
                    EnqueueCall(
                        queue: "q", source: .one(EnqueueRequest(type: "t"), payload: nil),
                        notBefore: .fromNow(0), expires: .fromNow(3_600_000))))
        ),
        (["logs", "#12"], .query(.logs(LogsCall(task: .number(12))))),
        (
            ["logs", "12", "-n", "0"],
            .query(.logs(LogsCall(task: .number(12), lines: 0)))
        ),
        (
            ["logs", "12", "-f"], .followOutput(LogsCall(task: .number(12), follows: true))
        ),
        (
            ["logs", "--follow", "12", "-n", "3"],
            .followOutput(LogsCall(task: .number(12), lines: 3, follows: true))
        ),
        (["help", "queue", "set"], .help(topic: "queue set")),
        (["step", "--help"], .help(topic: "step")),
        (["undo", "7"], .change(.verb(.undo(event: 7)))),
        (["network", "measured"], .change(.verb(.network(forced: nil)))),
        (
            ["network", "off", "--queue", "mail"],
            .change(.verb(.network(forced: false, queue: "mail")))
        ),
        (["network"], .query(.network)),
        (
            ["work", "--probe", "[::1]:80"],
            .work(WorkCall(probe: ProbeAddress("[::1]:80")))
        ),
        (["resume", "--all"], .change(.verb(.resume(.store)))),
        (["step", "q", "-n", "2"], .step(StepCall(target: .queue("q", count: 2)))),
        (
            ["step", "--task", "5", "--check"],
            .step(StepCall(target: .task(.number(5)), isChecked: true))
        ),
        (
            ["run", "q", "--until", "time +1m"],
            .run(RunCall(queue: "q", until: .time(.fromNow(60_000))))
        ),
        (
            ["run", "q", "--until", "type:charge"],
            .run(RunCall(queue: "q", until: .match(charge)))
        ),
        (
            ["work", "--queues", "a,b", "--until-empty"],
            .work(WorkCall(queues: ["a", "b"], endsWhenEmpty: true))
        ),
        (
            ["queue", "set", "q", "--batch-count", "3", "--preset", "customer-io"],
            .change(.verb(.setQueue("q", [.preset("customer-io"), .batchCount(3)])))
        ),
    ]

    @Test("command lines mean what the contract says", arguments: understood)
    func means(_ words: [String], _ invocation: Invocation) throws {
        #expect(try parse(words).invocation == invocation)
    }

    @Test(
        "what stands where a verb takes a store is the store, as --store names it",
        arguments: [[], ["init"], ["doctor"]])
    func takesStore(_ verb: [String]) throws {
        let address = "redis://localhost:6379/0"
        #expect(try parse(verb + [address]).common.store == address)
        #expect(try parse(verb + ["--store", address]).common.store == address)
        #expect(try parse(verb + [address, "--store", address]).common.store == address)
        let place = ForeignStorePlace((verb + [address]).map { Word($0) }, environment: "./app.db")
        #expect(place?.address == address)
        for more in [["--store", "./b.db"], ["./b.db"]] {
            let error = #expect(throws: QueueError.self) { try parse(verb + ["./a.db"] + more) }
            #expect(error?.code == .badValue)
            #expect(error?.message.contains("./b.db") == true)
        }
    }

    static let onTasks: [([String], Verb)] = [
        (["priority", "5", "6", "-3"], .priority([TaskTarget(5), TaskTarget(6)], -3)),
        (["postpone", "5", "+5m"], .postpone([TaskTarget(5)], until: now + 300_000)),
        (["move", "5", "--before", "4"], .move(TaskTarget(5), .before(4))),
        (
            ["edit", "5", "--set", "label=", "--set", "attempts=none"],
            .edit([TaskTarget(5)], payload: nil, fields: [.label(nil), .attemptLimit(nil)])
        ),
        (["skip", "5", "--for", "1m"], .skip([TaskTarget(5)], forMilliseconds: 60_000)),
        (
            ["delete", "5", "--cancel", "--members", "skipRun"],
            .delete([TaskTarget(5)], cancelsRunning: true, members: .skipRun)
        ),
        (
            ["retry", "5", "6", "--over", "1h"],
            .retry([TaskTarget(5), TaskTarget(6)], overMilliseconds: 3_600_000)
        ),
        (["move", "5", "--last"], .move(TaskTarget(5), .last)),
        (["move", "5", "--queue", "my queue"], .moveToQueue([TaskTarget(5)], "my queue")),
        (["purge", "5", "--members", "giveUp"], .purge([TaskTarget(5)], members: .giveUp)),
    ]

    private func verb(_ words: [String]) throws -> Verb? {
        guard case .change(.tasks(let change)) = try parse(words).invocation,
            case .tasks(let references) = change.selection
        else { return nil }
        let targets = references.compactMap(\.number).map { TaskTarget($0) }
        return .on(targets, try change.words.verb(at: Self.now))
    }

    @Test(
        "verbs on tasks mean what the contract says, and spell what they mean", arguments: onTasks)
    func meansOnTasks(_ words: [String], _ verb: Verb) throws {
        #expect(try self.verb(words) == verb)
        guard let onTasks = verb.onTasks, onTasks.kind.name != "edit" else { return }
        let line = CommandText(names: TaskNames(), now: Self.now).of(verb)
        #expect(try self.verb(CommandWords.split(line)) == verb)
    }

    @Test("every verb of the table to which something can be said is tried here")
    func coversTable() {
        let named = Set(Self.onTasks.map { $0.0[0] })
        let verbs = Action.all.compactMap { action in action.command.flatMap { _ in action.verb } }
        let others = verbs.filter { !$0.options.isEmpty || $0.argument != nil }
        #expect(named == Set(others.map { $0.name }))
        #expect(verbs.count > others.count)
    }

    @Test(
        "a verb to which nothing is said is its name, also as it is spelled",
        arguments: Action.all.filter { $0.command != nil && $0.verb?.unsaid(on: nil) != nil })
    func saysNothing(_ action: Action) throws {
        guard let kind = action.verb, let unsaid = kind.unsaid(on: nil) else { return }
        let verb = Verb.on([TaskTarget(5)], unsaid)
        #expect(try self.verb([kind.name, "5"]) == verb)
        #expect(CommandText(names: TaskNames(), now: Self.now).of(verb) == "\(kind.name) 5")
    }

    @Test(
        "D10 a verb on many tasks is spelled so that it can be run, or is plainly no command",
        arguments: [
            (Array(1...6), "retry 1 2 3 4 5 6"), (Array(59...93), "retry --filter id:59..93"),
            ([1, 2, 3, 5, 8, 9, 13], "retry --filter id:1..3,5,8..9,13"),
            ((1...40).map { $0 * 7 }, "retry TASK…"),
        ] as [([TaskID], String)])
    func spellsMany(_ ids: [TaskID], _ line: String) throws {
        let names = TaskNames()
        let verb = Verb.retry(ids.map { TaskTarget($0) })
        #expect(CommandText(names: names, now: Self.now).of(verb) == line)
        let move = Verb.moveToQueue([TaskTarget(4), TaskTarget(5)], "b")
        let spelled = CommandText(names: names, now: Self.now).of(move)
        #expect(spelled == "move --filter id:4..5 --queue b")
        for said in [line, spelled] where !said.contains("TASK…") {
            guard case .change(.tasks(let change)) = try parse(CommandWords.split(said)).invocation
            else {
                Issue.record("\(said)")
                continue
            }
            if case .filter(let filter) = change.selection {
                let wanted = said == line ? ids : [4, 5]
                #expect(filter.ids(atMost: 100) == wanted)
            }
        }
        // In a folder tasks have no numbers.
        let named = TaskNames([1: "0a1b2c3d-0000-4000-8000-000000000000"])
        let many = Verb.retry((1...9).map { TaskTarget($0) })
        #expect(CommandText(names: named, now: Self.now).of(many) == "retry TASK…")
    }

    @Test("every command of the table is understood", arguments: Action.all.compactMap(\.command))
    func knowsTable(_ command: Command) {
        do {
            _ = try parse(command.name.split(separator: " ").map(String.init))
        } catch {
            #expect(!"\(error)".contains("there is no verb"))
        }
    }

    @Test("what an option only names is found before the verb is done")
    func findsWhatIsNamed() throws {
        let (place, file) = (
            ["move", "5", "--after", "3143DAD0"], ["edit", "5", "--payload-file", "f"]
        )
        var found: [Verb] = []
        for words in [place, file] {
            guard case .change(.tasks(let change)) = try parse(words).invocation else { continue }
            let whole = try change.words.finding(
                task: { $0 == .uuid("3143DAD0") ? 7 : 0 },
                bytes: { file, option in Array("\(option) \(file)".utf8) })
            found.append(.on([TaskTarget(5)], try whole.verb(at: Self.now)))
        }
        let bytes = Array("--payload-file f".utf8)
        #expect(
            found == [
                .move(TaskTarget(5), .after(7)),
                .edit([TaskTarget(5)], payload: bytes, fields: []),
            ])
    }

    @Test("options stand anywhere after the verb, groups repeat, a key keeps its colons")
    func enqueue() throws {
        let line = try parse([
            "enqueue", "--group", "a", "q", "--json", "type", "--group=b", "{}", "--unique",
            "x:y:replace", "--sort-key", "12", "--by", "ann", "--store", "s.db",
        ])
        var request = EnqueueRequest(type: "type")
        request.groupMembers = ["a", "b"]
        request.uniqueKey = "x:y"
        request.uniquePolicy = .replace
        request.sortKey = .integer(12)
        let call = EnqueueCall(queue: "q", source: .one(request, payload: .text("{}")))
        #expect(line.invocation == .change(.enqueue(call)))
        #expect(line.common == CommonOptions(store: "s.db", isJSON: true, person: "ann"))
    }

    static let refused: [(String, QueueError.Code)] = [
        ("lst", .badValue), ("queue", .badValue), ("queue sett q", .badValue),
        ("list --fliter x", .badValue), ("list a b", .badValue),
        ("list --filter bogus:x", .badFilter),
        ("queues now", .badValue), ("show", .badValue), ("show x", .badValue),
        ("show 1 2", .badValue), ("skip", .badValue), ("skip 1 --filter id:1", .badValue),
        ("pause", .badValue), ("pause q --all", .badValue), ("pause q --for", .badValue),
        ("pause q --reason --all", .badValue), ("pause q --for 1m --for 2m", .badValue),
        ("pause q --now=yes", .badValue), ("work --probe here", .badValue),
        ("network maybe", .badValue),
        ("postpone 5", .badValue), ("priority 5 9z", .badValue), ("move 5", .badValue),
        ("move 5 --first --last", .badValue), ("move 5 --queue q --first", .badValue),
        ("edit 5", .badValue), ("edit 5 --set colour=red", .badValue),
        ("edit 5 --payload a --payload-file b", .badValue), ("enqueue q", .badValue),
        ("enqueue q t p --payload-file f", .badValue), ("enqueue q t --jsonl f", .badValue),
        ("enqueue q --jsonl f --priority 3", .badValue), ("enqueue q t p more", .badValue),
        ("step q --task 5", .badValue), ("step q -n 0", .badValue), ("undo -1", .badValue),
        ("undo x", .badValue), ("run q --until later", .badValue), ("work --slots 0", .badValue),
        ("work --queues a,,b", .badName), ("help lst", .badValue), ("completion tcsh", .badValue),
        ("--json queues", .badValue), ("./a.db ./b.db", .badValue), ("rewind", .badValue),
        ("fault x", .badValue), ("frobnicate x", .badValue),
        ("queue set q --attempts 0", .badValue),
        ("queue set q --retry soon", .badValue), ("queue set q --max-length -1", .badValue),
    ]

    @Test("a command line that does not fit is refused with a way out", arguments: refused)
    func refuses(_ line: String, _ code: QueueError.Code) {
        let error = #expect(throws: QueueError.self) {
            try parse(line.split(separator: " ").map(String.init))
        }
        #expect(error?.code == code)
        #expect(error?.fix.isEmpty == false)
    }

    @Test(
        "unknown words name the nearest known one",
        arguments: [
            ("lst", "sluice list"), ("queue sett", "queue set"), ("list --fliter x", "--filter"),
            ("edit 5 --set prority=3", "priority"),
        ])
    func suggests(_ line: String, _ word: String) {
        let error = #expect(throws: QueueError.self) {
            try parse(line.split(separator: " ").map(String.init))
        }
        #expect(error?.description.contains(word) == true)
    }
}

@Suite("The words of a line that no shell took apart")
struct CommandWordsTests {
    static let lines: [(String, [String])] = [
        ("", []), ("  list  q ", ["list", "q"]),
        ("pause q --reason 'a b'", ["pause", "q", "--reason", "a b"]),
        (#"run q --until "task #12""#, ["run", "q", "--until", "task #12"]),
        (#"list a\ b '' "x\"y" 'c\d'"#, ["list", "a b", "", #"x"y"#, #"c\d"#]),
    ]

    @Test("quotes and backslashes keep a word together", arguments: lines)
    func splits(_ line: String, _ words: [String]) throws {
        #expect(try CommandWords.split(line) == words)
    }

    @Test("an open quote is refused", arguments: ["list 'a", "list \"a'"])
    func open(_ line: String) {
        #expect(throws: QueueError.self) { try CommandWords.split(line) }
    }
}
