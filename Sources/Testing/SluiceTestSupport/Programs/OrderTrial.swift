import SluiceSystem

/// A strict queue and one that is four wide, with four workers, judged by what the handlers wrote
/// alone; the test brings the people who get in their way.
package struct OrderTrial: Sendable {
    package let place: Workplace
    /// The tasks of the queue `strict`, in their order.
    package let strict: [Int64]
    /// The tasks of the queue `wide`, in their order.
    package let wide: [Int64]
    private let workers: [RunningProgram]

    /// Prepares paused queues with `count` tasks each. Some tasks fail once.
    package init(tasksInEach count: Int) throws {
        place = try Workplace.withStore()
        try place.employWitness()
        let common = ["--retry", "fixed(0s)", "--attempts", "none"]
        try place.json(["queue", "set", "strict", "--after-failure", "block"] + common)
        try place.json(["queue", "set", "wide", "--concurrency", "4"] + common)
        let payloads = (0..<count).map { $0 % 20 == 7 ? #"{"fail":1}"# : "{}" }
        strict = try place.enqueue("strict", payloads: payloads)
        wide = try place.enqueue("wide", payloads: payloads)
        for queue in ["strict", "wide"] { try place.json(["pause", queue]) }
        let place = place
        workers = try (0..<4).map { _ in try place.startWorker(["--quiet"]) }
    }

    package func resume() throws {
        for queue in ["strict", "wide"] { try place.json(["resume", queue]) }
    }

    /// How many tasks have come to their end.
    package var ended: Int { place.testimony.count("end") }

    /// Runs the queues to their end and stops the workers. Returns one sentence for each error.
    package func verdict() throws -> [String] {
        try resume()
        let count = strict.count + wide.count
        try place.wait(for: "the last task") { ended >= count }
        for worker in workers { try worker.signal(.terminate) }
        let codes = try workers.map { try $0.answer().code }
        let all = place.testimony
        var wrong = all.overlaps
        func expect(_ holds: Bool, _ sentence: String) { if !holds { wrong.append(sentence) } }
        expect(codes == [0, 0, 0, 0], "the workers ended with \(codes)")
        expect(all.tally("end").keys.sorted() == (strict + wide).sorted(), "tasks are missing")
        expect(all.count("end") == count, "\(all.count("end")) ends of \(count) tasks")
        expect(all.count("start") == count + all.count("fail"), "starts and ends do not agree")
        expect(all.of(strict).crowd == 1, "\(all.of(strict).crowd) of strict at once")
        expect(all.of(wide).crowd <= 4, "\(all.of(wide).crowd) of wide at once")
        wrong += all.of(strict).strictBreaches(of: strict)
        wrong += all.of(wide).breaches(of: wide, concurrency: 4)
        expect(try place.list([]) == [], "tasks are left")
        let doctor = try place.sluice(["doctor"])
        expect(doctor.code == 0, doctor.description)
        expect(place.processes() == [], "processes go on")
        return wrong
    }
}
