import SluicePlatform
import SluiceRedisClient

/// The connections that wait in front of workers at one list: what arrives there goes to what is
/// held.
final class GuardWatch {
    let workList: WorkList
    private let guards: [RedisConnection]
    private let catching: RedisCommand
    private var resting: [RedisConnection] = []

    /// Opens them; each has so many waits under way: with two the server begins the second one
    /// itself when the first has ended.
    init(
        _ workList: WorkList, at address: RedisAddress, count: Int, name: String, waits: Int
    ) throws {
        self.workList = workList
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
                resting.append(one)
            } else {
                try one.send(answers.map { _ in catching })
            }
        }
        return (answered, caught)
    }

    /// Lets those wait again that rest.
    func stand() throws {
        for one in resting { try one.send([catching]) }
        resting = []
    }

    /// Closes them.
    func close() {
        for one in guards { one.close() }
    }
}
