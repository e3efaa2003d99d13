import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Four workers and two operators who never rest, judged by what the handlers wrote alone.
@Suite("end to end: order", .serialized)
struct OrderTests {
    @Test("P2 B7 Q2 each task runs once and in order while two operators pause, step and skip")
    func operators() async throws {
        let seed = Soak.seed()
        print("order: seed \(seed)")
        try await Workplace.onOwnThread {
            let trial = try OrderTrial(tasksInEach: Soak.count(150, soak: 5000))
            let queues = ["strict": trial.strict, "wide": trial.wide]
            let operators = try (0..<2).map { number in
                try Operator(at: trial.place, queues: queues, seed + number)
            }
            try trial.resume()
            let enough = trial.strict.count + trial.wide.count - 40
            try trial.place.wait(for: "most tasks", seconds: 1200, burstMilliseconds: 100) {
                trial.ended >= enough
            }
            let done = operators.map { $0.rest() }
            print("order: \(done.map(\.summary).joined(separator: "; "))")
            #expect(done.flatMap(\.surprises) == [])
            #expect(try trial.verdict() == [])
        }
    }
}

/// A person who pauses, steps, resumes and skips without rest, on a separate thread.
final class Operator: Sendable {
    /// Counts of its actions.
    struct Deeds: Sendable {
        var counts: [String: Int] = [:]
        /// Answers that the contract does not foresee.
        var surprises: [String] = []
        var skipped: Set<Int64> = []

        var summary: String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                .joined(separator: ", ")
        }
    }

    private let place: Workplace
    private let queues: [String: [Int64]]
    private let deeds = Protected(Deeds())
    private let mustRest = Protected(false)
    private let thread = Protected<Thread?>(nil)

    init(at place: Workplace, queues: [String: [Int64]], _ seed: UInt64) throws {
        self.place = place
        self.queues = queues
        let started = try Thread(name: "operator") { [self] in act(seed) }
        thread.withLock { $0 = started }
    }

    /// Undoes its skips and ends. Returns the counts of its actions.
    func rest() -> Deeds {
        mustRest.withLock { $0 = true }
        let running = thread.withLock { $0 }
        running?.join()
        return deeds.withLock { $0 }
    }

    private func act(_ seed: UInt64) {
        var chance = SeededChance(seed: seed)
        while !mustRest.withLock({ $0 }) {
            guard let (queue, ids) = queues.randomElement(using: &chance) else { return }
            switch chance.number(0...9) {
            case 0...1: ask(["pause", queue])
            case 2...3: ask(["resume", queue])
            case 4...6: ask(["step", queue, "-n", "\(chance.number(1...3))"])
            case 7...8: skip(near: ids, &chance)
            default: revert(atMost: 3)
            }
        }
        revert(atMost: .max)
        ask(["resume", "strict"])
        ask(["resume", "wide"])
    }

    private func skip(near ids: [Int64], _ chance: inout SeededChance) {
        let done = place.testimony.of(ids).count("end")
        let index = done + chance.number(0...6)
        guard ids.indices.contains(index) else { return }
        let task = ids[index]
        deeds.withLock { _ = $0.skipped.insert(task) }
        place.append("skip \(task) 0 0 0\n", to: Witness.log)
        ask(["skip", "#\(task)"])
    }

    private func revert(atMost count: Int) {
        let tasks = deeds.withLock { Array($0.skipped.prefix(count)) }
        for task in tasks {
            ask(["unskip", "#\(task)"])
            deeds.withLock { _ = $0.skipped.remove(task) }
        }
    }

    private func ask(_ words: [String]) {
        let verb = words[0]
        do {
            let answer = try place.sluice(words + ["--json"])
            let codes: Set<String?> = ["notLegal", "changed", "unknownTask", nil]
            let error = answer.errorCode ?? answer.json["error"]?["code"]?.string
            let isForeseen =
                answer.code == 0 || [1, 3].contains(answer.code) && codes.contains(error)
            let outcome = answer.code == 0 ? verb : "\(verb) \(answer.code) (\(error ?? "-"))"
            deeds.withLock { deeds in
                deeds.counts[outcome, default: 0] += 1
                if !isForeseen { deeds.surprises.append(answer.description) }
            }
        } catch {
            let text = String(describing: error)
            deeds.withLock { $0.surprises.append(text) }
        }
    }
}
