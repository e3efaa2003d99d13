import SluiceModel
import SluiceSystem
import SluiceTestSupport

extension ManyTrial {
    /// Clocks that differ by twenty minutes. Delays have the right length anyway.
    func clocks() throws {
        verdicts.chapter("Clocks: ada's is 10 minutes fast, ben's 10 slow, the desk's 5 fast")
        verdicts.say("meanwhile every link takes 5 ms each way and loses one piece of a hundred")
        setLinks(Way(delayMilliseconds: 5, lossPerMille: 10))
        defer { setLinks(Way()) }
        let strict = try enqueue("clock", #"{"fail":1}"#, count: 5)
        var handed: [Int64: (from: Int64, to: Int64)] = [:]
        for _ in 0..<3 {
            let from = Int64(SystemClock.monotonicNanoseconds())
            let answer = try site.sluice(["enqueue", "later", "job", "--not-before", "+3s"])
            for id in answer["ids"]?.array?.compactMap(\.integer) ?? [] {
                handed[id] = (from, Int64(SystemClock.monotonicNanoseconds()))
            }
        }
        count("later", handed.count)
        let isDone = try site.wait(seconds: 60) {
            try site.succeeded(in: "clock") == 5 && site.succeeded(in: "later") == 3
        }
        verdicts.note(isDone, "8 tasks with timers were executed within 60 s")
        let told = site.judge
        let waits = strict.compactMap { task -> Int64? in
            let lives = told.lives(of: task)
            return lives.count == 2 ? lives[1].begin - lives[0].last : nil
        }
        let (least, most) = (waits.min() ?? 0, waits.max() ?? 0)
        let machines = Set(strict.flatMap { told.lives(of: $0).map(\.machine) })
        verdicts.note(
            waits.count == 5 && least >= 1_900_000_000 && most <= 6_000_000_000,
            "a retry after 2 s began \(Judge.seconds(least)) to \(Judge.seconds(most)) s after "
                + "its failure, on \(machines.sorted().joined(separator: ", "))")
        let begins = handed.compactMap { task, moments -> (Int64, Int64)? in
            told.lives(of: task).first.map { ($0.begin - moments.to, $0.begin - moments.from) }
        }
        let early = begins.map(\.1).min() ?? 0
        let late = begins.map(\.0).max() ?? .max
        verdicts.note(
            begins.count == 3 && early >= 2_900_000_000 && late <= 6_000_000_000,
            "a task for 3 s later began \(Judge.seconds(early)) to \(Judge.seconds(late)) s later")
        verdicts.none(
            told.testimony.of(strict).strictBreaches(of: strict), "the strict queue kept its order")
        let lost = try site.number("SELECT count(*) FROM sluice.attempt WHERE outcome = 'lost'")
        verdicts.note(lost == 0, "\(lost) executions were taken for lost")
    }
}
