import SluiceSystem

/// The connections that block on a list before the workers. They move each new element to the held
/// list.
final class GuardWatch {
    let workList: WorkList
    private let guards: [RedisConnection]
    private let catching: RedisCommand
    /// Waits where nothing ever comes.
    private let pausing: RedisCommand
    private var resting: [RedisConnection] = []
    /// A resting guard without a blocking command.
    private var free: RedisConnection?

    /// Opens the connections. Each pipelines `waits` blocking commands: with two, the server starts
    /// the second one itself after the first ends.
    init(
        _ workList: WorkList, at address: RedisAddress, count: Int, name: String, waits: Int
    ) throws {
        self.workList = workList
        pausing = RedisCommand(
            "BLMOVE", workList.rest, workList.held, workList.takes.rawValue,
            workList.takes.other.rawValue, 0)
        guards = try (0..<count).map { _ in try RedisConnection(address, name: name) }
        catching = RedisCommand(
            "BLMOVE", workList.list, workList.held, workList.takes.rawValue,
            workList.takes.other.rawValue, 0)
        for one in guards { try one.send(Array(repeating: catching, count: waits)) }
    }

    var interests: [PollInterest] { guards.map { PollInterest($0.descriptor) } }

    /// The client ids for `CLIENT UNBLOCK`.
    var ids: [Int64] { guards.map(\.id) }

    /// Takes the answers that came and lets each guard that answered wait once more, unless they
    /// are to rest; gives how many answered, and how many of them caught something.
    func collectAnswers(
        ready: Set<Int32>, resting isResting: Bool = false
    ) throws -> (answered: Int, caught: Int) {
        var (answered, caught) = (0, 0)
        for one in guards where ready.contains(one.descriptor) {
            let answers = try one.arrived()
            guard !answers.isEmpty else { continue }
            for answer in answers where !(try answer.accepted().isNone) { caught += 1 }
            answered += answers.count
            if isResting {
                if free == nil {
                    free = one
                } else {
                    resting.append(one)
                    try one.send([pausing, catching])
                }
            } else {
                try one.send(answers.map { _ in catching })
            }
        }
        return (answered, caught)
    }

    /// The client ids of the resting guards.
    var restingIDs: [Int64] { resting.map(\.id) }

    /// Sends commands through the free guard, which blocks on the list again before the server
    /// reads anything else; `nil` if no guard is free.
    func ask(_ commands: [RedisCommand]) throws -> [RedisValue]? {
        guard let one = free else { return nil }
        free = nil
        try one.send(commands + [catching])
        return try commands.map { _ in try one.receive() }
    }

    /// Receives the answers of the guards that were unblocked while resting.
    func stand() throws {
        for one in resting { _ = try one.receive() }
        resting = []
    }

    func close() {
        for one in guards { one.close() }
    }
}
