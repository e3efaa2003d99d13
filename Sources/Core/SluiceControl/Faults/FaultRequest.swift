public import SluiceModel
import SluiceStore

/// A request to set a fault.
public struct FaultRequest: Hashable, Sendable {
    /// Which tasks it is about.
    public var filter: TaskFilter
    /// The kind of fault.
    public var kind: Fault.Kind
    /// Into how many attempts; nil for one, and where chance decides.
    public var times: Int?
    /// Into each attempt with this probability.
    public var chance: Double?
    /// The random seed; `nil` uses the fault's number.
    public var seed: Int64?
    /// The lifetime; `nil` keeps the fault until someone removes it.
    public var forMilliseconds: Int64? = BreakRequest.usualMilliseconds
    /// Whether attached programs of older versions, which would go past it, may be ended.
    package var endsOlder = false

    /// Creates a fault; by default it applies to the next matching attempt within an hour. Use
    /// either `times` or `chance`.
    public init(
        _ filter: TaskFilter, _ kind: Fault.Kind, times: Int? = nil, chance: Double? = nil,
        seed: Int64? = nil, forMilliseconds: Int64? = BreakRequest.usualMilliseconds
    ) {
        (self.filter, self.kind, self.times) = (filter, kind, times)
        (self.chance, self.seed) = (chance, seed)
        self.forMilliseconds = forMilliseconds
    }
}

/// A fault as a command says it.
extension FaultRequest {
    /// Reads the words of `fault`.
    package init(_ arguments: Arguments) throws(QueueError) {
        let words = arguments.values
        guard let text = words.first else {
            throw .usage("FILTER is missing", of: arguments.command)
        }
        guard words.count > 1 else {
            throw .usage("KIND, what goes wrong, is missing", of: arguments.command)
        }
        try arguments.refuseUnquoted(than: 2) { (try? Fault.Kind($0)) != nil }
        self.init(
            try TaskFilter(text, saved: arguments.savedFilters), try Fault.Kind(words[1]))
        try filter.checkForFault()
        times = try arguments.count("--times")
        chance = try arguments.text("--chance").map(Self.chance)
        seed = try arguments.number("--seed")
        endsOlder = arguments.has("--yes")
        forMilliseconds = try arguments.lifetime()
        try check()
    }

    private static func chance(_ text: String) throws(QueueError) -> Double {
        let digits = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits, let chance = Double(text), (0...1).contains(chance) else {
            throw .badValue("--chance", text, allowed: "a number from 0 to 1, such as 0.1")
        }
        return chance
    }

    /// Throws `badValue` for conflicting options, or for options without effect.
    func check() throws(QueueError) {
        guard times == nil || chance == nil else {
            throw QueueError(
                .badValue, "--times and --chance are two ways to say how often",
                fix: "leave one of them out")
        }
        guard seed == nil || chance != nil else {
            throw QueueError(
                .badValue, "--seed is what --chance draws from", fix: "add --chance, such as 0.1")
        }
        try BreakRequest.check(lifetime: forMilliseconds)
    }

    /// How many attempts it takes, as the fault of a number.
    func limit(of number: Int64) -> Fault.Limit {
        guard let chance else { return .times(times ?? 1) }
        return .chance(chance, seed: seed ?? number)
    }
}

/// Sets a fault (G2).
extension FaultRequest: DebuggerVerb {
    package var verbName: String { "fault" }
    package var debuggerPart: DebuggerPart? { endsOlder ? nil : .faults }
    package var answers: AnswerPart { .faults }

    package func command(in text: CommandText) -> String {
        var words = "fault \(ShellWord.quoted(filter.description)) \(ShellWord.quoted(kind.words))"
        if let times { words += " --times \(times)" }
        if let chance { words += " --chance \(chance)" }
        if let seed { words += " --seed \(seed)" }
        return words + BreakRequest.lifetime(forMilliseconds) + (endsOlder ? " --yes" : "")
    }

    package func perform(in context: VerbContext) throws {
        try check()
        try context.refuseProtected("faults")
        let number = try context.store.storeRecord().faults.last + 1
        var wanted = try Fault(
            number: number, filter: filter, kind: kind,
            limit: limit(of: number), by: context.person)
        wanted.until = forMilliseconds.map { context.real + $0 }
        try DebuggerPart.faults.refuseOlder(among: context.store.processes(), isAgreed: endsOlder)
        let added = try context.mutation.add(wanted)
        context.answer.faults = [added]
        if added.kind.isCrash { context.answer.consequences = [try Self.crash(in: context)] }
        var undo = UndoRecord()
        undo.faults = [.init(number: added.number, before: nil)]
        try context.journal(
            "fault", queue: nil,
            "fault \(added.number) set by \(context.person): \(added.sentence(at: context.real))",
            undo: undo)
    }

    /// Whom a crash kills.
    private static func crash(in context: VerbContext) throws -> String {
        let runners = try context.store.processes().filter { $0.isWorking && $0.allowsCrash }
        guard !runners.isEmpty else {
            return "no attached worker takes it: only one of sluice work --allow-crash, or of an "
                + "app that allows it, does"
        }
        let names = WordList.and(runners.map { "worker \($0.id) (pid \($0.pid))" })
        return "it kills \(names) and all that runs there"
    }
}

extension Verb {
    /// Makes attempts of matching tasks fail.
    public static func setFault(_ request: FaultRequest) -> Verb { Verb(request) }
}

extension Action.ID {
    package static let setFault = Self("fault")
}

extension Action {
    static let setFault = Action(
        .setFault, key: "f", .task, "fault", "make attempts of matching tasks fail",
        Command(
            "fault", "FILTER KIND", [.text("FILTER"), .choice(faultKinds)],
            options: [
                Command.Option("--times", .number, "the next N attempts (default 1)"),
                Command.Option(
                    "--chance", .text("P"), "each with this probability, from 0 to 1"),
                Command.Option(
                    "--seed", .number, "the seed of --chance (default: the fault's number)"),
                Command.Option("--for", .text("D|none"), "its lifetime (default 1h)"),
                Command.Option("--yes", .flag, "end attached programs that are too old for it"),
            ], changes: true)
    ) { words throws(QueueError) in
        .setFault(try FaultRequest(words))
    }

    /// The completable part of each fault kind.
    private static let faultKinds = Fault.Kind.allWords.map { word in
        String(word.prefix { $0 != "[" && $0 != "D" })
    }
}

extension Fault {
    /// The fault in one line: `give-up in the next 3 attempts of type:mail, for 1h`.
    package func sentence(at now: Timestamp) -> String {
        let times =
            switch limit {
            case .times(1): "in the next attempt of"
            case .times(let times): "in the next \(times) attempts of"
            case .chance(let chance, let seed):
                "with chance \(chance) (seed \(seed)) in attempts of"
            }
        let end = until.map { "for \(DurationText.taken($0 - now))" } ?? "until it is removed"
        return "\(kind.words) \(times) \(filter), \(end)"
    }
}

extension Reading {
    /// The faults that are not spent and whose time is not over, by number.
    package func faults() throws -> [Fault] {
        try store.storeRecord().faults.all.filter { $0.isActive(at: real) }
    }

    /// The faults that would apply to each of some waiting tasks, under a runner that allows
    /// crashes. Assumes that the tasks start one after the other, now or at their moments in real
    /// time. Omits faults with a chance. Reads short payloads if a filter needs them.
    package func faultsAhead(
        of tasks: [QueueTask], at starts: [Timestamp] = []
    ) throws -> [TaskID: Int64] {
        var faults = Faults()
        faults.all = try self.faults().filter { $0.left != nil }
        guard !faults.isEmpty else { return [:] }
        let asksPayload = faults.all.contains(where: \.asksPayload)
        let payloads =
            asksPayload
            ? try store.payloadHeads(of: tasks.map(\.id), first: StoreRecord.shortPayloadBytes)
            : [:]
        var found: [TaskID: Int64] = [:]
        for (place, task) in tasks.enumerated() where task.waiting != nil {
            let facts = KnownFacts(
                now: now, real: starts.isEmpty ? real : starts[place], display: .due,
                payload: payloads[task.id]?.bytes ?? [],
                uuid: try store.naming?.uuid(of: task.id))
            found[task.id] = try faults.take(task, facts, allowsCrash: true).fault?.number
        }
        return found
    }

    /// Sentences about the fault in a task's last attempt, and about the fault that would apply if
    /// the task started next.
    package func faultSentences(of id: TaskID) throws -> [String] {
        let task = try store.requireTask(id)
        var found: [String] = []
        if let last = try store.attempts(of: id).last, let injection = last.injection {
            found.append("attempt \(last.number): \(injection.sentence)")
        }
        if let number = try faultsAhead(of: [task])[id],
            let fault = try store.storeRecord().faults[number]
        {
            found.append("if it started now: fault \(number), \(fault.kind.words)")
        }
        return found
    }
}
