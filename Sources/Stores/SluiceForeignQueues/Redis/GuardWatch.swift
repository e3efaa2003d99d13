import SluicePlatform
import SluiceRedisClient

/// The connections that wait in front of workers at one list: what arrives there goes to what is
/// held.
final class GuardWatch {
    let workList: WorkList
    private let guards: [RedisConnection]
    private let catching: RedisCommand
    /// Waits where nothing ever comes.
    private let pausing: RedisCommand
    private var resting: [RedisConnection] = []
    /// One of those that rest, which waits nowhere.
    private var free: RedisConnection?

    /// Opens them; each has so many waits under way: with two the server begins the second one
    /// itself when the first has ended.
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

    /// What to wait on.
    var interests: [PollInterest] { guards.map { PollInterest($0.descriptor) } }

    /// The numbers by which the server unblocks them.
    var ids: [Int64] { guards.map(\.id) }

    /// Takes the answers that came and lets each guard that answered wait once more, unless they
    /// are to rest; gives how many answered, and how many of them caught something.
    func takeAnswers(
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

    /// The numbers of those that rest and wait there.
    var restingIDs: [Int64] { resting.map(\.id) }

    /// Asks by the one that waits nowhere, which stands at the list again before the server reads
    /// anything else; nil where there is none.
    func ask(_ commands: [RedisCommand]) throws -> [RedisValue]? {
        guard let one = free else { return nil }
        free = nil
        try one.send(commands + [catching])
        return try commands.map { _ in try one.receive() }
    }

    /// Takes the answers of those that were sent away from where they rest.
    func stand() throws {
        for one in resting { _ = try one.receive() }
        resting = []
    }

    /// Closes them.
    func close() {
        for one in guards { one.close() }
    }
}
