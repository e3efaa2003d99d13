import SluiceModel
import SluiceSystem

/// Holds lists that workers read with blocking commands. It blocks on each list before the workers
/// do, with more connections than a burst has tasks. On request it lets single tasks through. It
/// ends with the hold.
///
/// Held tasks are in the store. If this process dies, only new tasks are no longer held.
package final class GuardPool {
    /// The name of its connection, which shows other processes that it runs.
    static func name(of workList: WorkList) -> String { "sluice:keeper:" + mark(of: workList) }

    /// The name of the connections of its guards.
    static func guardName(of workList: WorkList) -> String { "sluice:guard:" + mark(of: workList) }

    private static func mark(of workList: WorkList) -> String {
        let sum = workList.list.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(sum, radix: 16)
    }

    private static let lookMilliseconds: Int64 = 100
    /// The number of silent rest periods after which the server counts as gone.
    private static let silentRests = 4

    private let address: RedisAddress
    private let control: RedisConnection
    private let inbox: RedisConnection
    private let watches: [GuardWatch]
    private let polling: ListPolling?
    /// After so long without a request the server says that there was none.
    private let restMilliseconds: Int
    private var workers: Set<Int64> = []
    private var lookedAt: Int64 = 0
    private var hasEnded = false

    private var first: WorkList { watches[0].workList }

    /// Begins to hold; the guards block when this returns. Returns `nil` if another keeper holds
    /// already: the first to connect wins.
    init?(
        _ workLists: [WorkList], at address: RedisAddress, guards: Int,
        polling: ListPolling? = nil, restMilliseconds: Int = 5_000
    ) throws {
        self.address = address
        self.polling = polling
        self.restMilliseconds = restMilliseconds
        let name = Self.name(of: workLists[0])
        let inbox = try RedisConnection(address, name: name)
        self.inbox = inbox
        control = try RedisConnection(address, name: "sluice:control")
        let others = try RedisClientLine.all(control, database: address.database)
        guard others.allSatisfy({ !$0.name.isSame(as: name) || $0.id >= inbox.id }) else {
            return nil
        }
        for workList in workLists { try control.call(workList.absorbing()) }
        watches = try workLists.map {
            try GuardWatch(
                $0, at: address, count: Self.count(of: $0, among: workLists, guards),
                name: Self.guardName(of: workLists[0]), waits: polling == nil ? 2 : 1)
        }
        try look(force: true)
        try absorb()
        if polling != nil { for workList in workLists { try control.call(workList.clearing()) } }
        try kick()
        try listen()
    }

    private static let rareGuards = 16

    /// How many connections guard one of the lists of a queue.
    static func count(of workList: WorkList, among all: [WorkList], _ guards: Int) -> Int {
        workList.isRare ? rareGuards : max(guards / all.count { !$0.isRare }, 32)
    }

    private func listen() throws {
        let seconds = "\(Double(restMilliseconds) / 1000)"
        try inbox.send([RedisCommand("BLPOP", first.requests, seconds)])
    }

    /// Holds until the hold ends; throws if the server closes or falls silent: a machine that
    /// vanishes closes no connection.
    package func run() throws {
        while !hasEnded {
            let interests = watches.flatMap(\.interests) + [PollInterest(inbox.descriptor)]
            let ready = Set(
                try Poll.wait(
                    fds: interests, timeoutMilliseconds: Self.silentRests * restMilliseconds
                ).map(\.descriptor))
            guard !ready.isEmpty else {
                throw RedisError(.lost, "the server says nothing any more")
            }
            try catchArrivals(ready)
            if ready.contains(inbox.descriptor) { try handleRequests() }
        }
    }

    private func catchArrivals(_ ready: Set<Int32>) throws {
        var answered = 0
        for watch in watches { answered += try watch.collectAnswers(ready: ready).answered }
        guard answered > 0 else { return }
        try look()
        try kick()
        try absorb()
    }

    /// Learns which connections are workers: any connection once seen to take from a list.
    private func look(force: Bool = false) throws {
        let now = SystemClock.monotonicMilliseconds()
        guard force || now - lookedAt >= Self.lookMilliseconds else { return }
        lookedAt = now
        let lines = try RedisClientLine.all(control, database: address.database)
        workers.formIntersection(lines.map(\.id))
        for line in lines where line.takes && !line.name.hasPrefix("sluice") {
            workers.insert(line.id)
        }
    }

    private func unblocking(_ ids: some Sequence<Int64>) -> [RedisCommand] {
        ids.map { RedisCommand("CLIENT", "UNBLOCK", $0, "TIMEOUT") }
    }

    /// Unblocks every worker, so that it queues after the guards again. The worker sees a wait that
    /// timed out.
    private func kick() throws {
        for answer in try control.pipeline(unblocking(workers)) { _ = try answer.accepted() }
    }

    private func absorb() throws {
        for watch in watches { try control.call(watch.workList.absorbing()) }
    }

    // Requests of other processes.

    private func handleRequests() throws {
        for answer in try inbox.arrived() {
            guard let request = answer.array.last?.bytes else {
                // The wait for requests timed out. A hold that no longer exists needs no keeper.
                let exists = try control.call("EXISTS", first.record).integer
                if exists == 0 { hasEnded = true }
                continue
            }
            // Skip a request whose caller has stopped waiting.
            guard let call = try? JSONValue.parse(request), let id = call["id"]?.string,
                try control.call("DEL", "sluice:open:\(id)").integer == 1
            else { continue }
            let reply = try reply(to: call)
            let key = Array("sluice:reply:\(id)".utf8)
            _ = try control.pipeline([
                RedisCommand("RPUSH", key, reply), RedisCommand("PEXPIRE", key, 60_000),
            ])
        }
        if hasEnded { closeGuards() } else { try listen() }
    }

    private func reply(to call: JSONValue) throws -> String {
        switch call["verb"]?.string {
        case "end":
            hasEnded = true
            closeGuards()
            return "done"
        case "step":
            guard let text = call["element"]?.string, let element = Base64.decode(text),
                let index = call["lane"]?.integer, watches.indices.contains(Int(index))
            else { return "unknown" }
            let watch = watches[Int(index)]
            return try polling.map { try show(element, watch, $0) } ?? step(element, watch)
        case "ping": return "done"
        default: return "unknown"
        }
    }

    /// Closes the guards. The process that ends the hold waits until the server has noticed.
    private func closeGuards() {
        for watch in watches { watch.close() }
    }

    /// Lets one task through. One transaction unblocks the guards and gives the task to the worker
    /// that has waited longest. The other workers are unblocked before the server reads anything
    /// else, so they queue after the guards again.
    private func step(_ element: [UInt8], _ watch: GuardWatch) throws -> String {
        try look(force: true)
        let workList = watch.workList
        let commands =
            [RedisCommand("MULTI")] + unblocking(watch.ids)
            + [
                workList.releasing(element, into: workList.list, at: workList.takes),
                RedisCommand("EXEC"),
            ]
            + unblocking(workers)
        // Send everything in one write, so that no other client's command can intervene.
        try control.send(commands)
        var answers: [RedisValue] = []
        for _ in commands { answers.append(try control.receive()) }
        guard case .array(let results) = answers[watch.ids.count + 2] else { return "unknown" }
        try settle(watch, results.dropLast().count { $0 == .integer(1) })
        if case .refusal(let text) = results.last ?? .none {
            let words = String(decoding: text, as: UTF8.self)
            return words.contains("GONE") ? "gone" : words
        }
        let rest = results.last?.array ?? []
        let finding = workList.finding(
            element, behind: rest.last?.bytes, of: rest.first?.integer ?? 0)
        // Twice, where the guard that brings it back has not been heard by the server yet.
        for _ in 0..<50 {
            let found = try control.call(finding).text ?? ""
            if found != "waiting" { return found }
            try absorb()
        }
        return "held"
    }

    /// Waits until every guard has answered that it was sent away, and waits again or rests.
    private func settle(_ watch: GuardWatch, _ count: Int, resting: Bool = false) throws {
        var left = count
        let deadline = SystemClock.monotonicMilliseconds() + 2_000
        while left > 0, SystemClock.monotonicMilliseconds() < deadline {
            let ready = try Poll.wait(fds: watch.interests, timeoutMilliseconds: 100)
            let descriptors = Set(ready.map(\.descriptor))
            left -= try watch.collectAnswers(ready: descriptors, resting: resting).answered
        }
        try kick()
    }

    /// The maximum time that a task is exposed to polling workers, which ask every second or every
    /// five.
    private static let showMilliseconds: Int64 = 6_000

    /// Lets one task through to polling workers: the guards rest until a worker has taken it, and
    /// new elements move to the held list.
    private func show(
        _ element: [UInt8], _ watch: GuardWatch, _ polling: ListPolling
    ) throws -> String {
        let workList = watch.workList
        let commands =
            [RedisCommand("MULTI")] + unblocking(watch.ids)
            + [workList.showing(element, polling), RedisCommand("EXEC")]
        try control.send(commands)
        var answers: [RedisValue] = []
        for _ in commands { answers.append(try control.receive()) }
        guard case .array(let results) = answers.last else { return "unknown" }
        try settle(watch, results.dropLast().count { $0 == .integer(1) }, resting: true)
        var found = "gone"
        if case .refusal(let text) = results.last ?? .none {
            let words = String(decoding: text, as: UTF8.self)
            if !words.contains("GONE") { found = words }
            try wake(watch)
        } else {
            found = try seal(element, behind: results.last?.array.last?.bytes, watch, polling)
        }
        try absorb()
        return found
    }

    private func seal(
        _ element: [UInt8], behind: [UInt8]?, _ watch: GuardWatch, _ polling: ListPolling
    ) throws -> String {
        func sealing(isLast: Bool) -> RedisCommand {
            watch.workList.sealing(element, behind: behind, isLast: isLast)
        }
        let deadline = SystemClock.monotonicMilliseconds() + Self.showMilliseconds
        while SystemClock.monotonicMilliseconds() < deadline,
            try control.call(sealing(isLast: false)).text == "waiting"
        {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: polling.lookMilliseconds)
        }
        return try wake(watch, sealing(isLast: true)).accepted().text ?? "unknown"
    }

    /// The number of guards that one transaction unblocks, without a pause for other clients.
    private static let wakened = 100

    /// Returns the guards to the list. One guard empties it and blocks there before the server
    /// reads anything else. Most others follow in the same transaction.
    @discardableResult
    private func wake(
        _ watch: GuardWatch, _ command: RedisCommand = RedisCommand("PING")
    ) throws -> RedisValue {
        let ids = watch.restingIDs
        let commands =
            [RedisCommand("MULTI"), command] + unblocking(ids.prefix(Self.wakened))
            + [RedisCommand("EXEC")]
        let results =
            try (watch.ask(commands) ?? control.pipeline(commands))
            .last?.accepted().array ?? []
        // A guard that does not wait yet leaves as soon as it waits.
        var late = ids.indices.filter { place in
            place >= Self.wakened || results.count <= place + 1
                || results[place + 1] != .integer(1)
        }.map { ids[$0] }
        let deadline = SystemClock.monotonicMilliseconds() + 2_000
        while !late.isEmpty, SystemClock.monotonicMilliseconds() < deadline {
            let answers = try control.pipeline(unblocking(late))
            late = zip(late, answers).filter { $0.1 != .integer(1) }.map(\.0)
        }
        try watch.stand()
        return results.first ?? .none
    }
}

extension GuardPool {
    static func isThere(_ workList: WorkList, _ redis: RedisConnection) throws -> Bool {
        let name = name(of: workList)
        return try RedisClientLine.all(redis, database: redis.address.database)
            .contains { $0.name.isSame(as: name) }
    }

    /// Asks the keeper of a list, and waits for its answer; nil where none answers.
    static func ask(
        _ workList: WorkList, _ call: JSONObject, _ redis: RedisConnection,
        timeoutMilliseconds: Int = 10_000
    ) throws -> String? {
        var random = SystemRandom()
        let id = String(random.next(), radix: 16)
        var call = call
        call["id"] = .string(id)
        let open = "sluice:open:\(id)"
        try redis.call("SET", open, "1", "PX", timeoutMilliseconds + 5_000)
        try redis.call("RPUSH", workList.requests, JSONValue.object(call).text)
        let seconds = max(timeoutMilliseconds / 1000, 1)
        let answer = try redis.call(
            RedisCommand("BLPOP", "sluice:reply:\(id)", seconds),
            timeoutMilliseconds: timeoutMilliseconds + 5_000)
        if let text = answer.array.last?.text { return text }
        // Taken back, unless it is being done right now.
        guard try redis.call("DEL", open).integer == 0 else { return nil }
        return try redis.call("BLPOP", "sluice:reply:\(id)", seconds).array.last?.text
    }
}
