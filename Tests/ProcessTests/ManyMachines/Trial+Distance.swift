import SluiceSystem
import SluiceTestSupport

extension ManyTrial {
    /// How many tasks the three workers work off in a second, by the round trip to the server.
    func distance() throws {
        let count = Self.many / 10
        verdicts.chapter("\(count) tasks by three workers, by the round trip to the server")
        for milliseconds: Int64 in [0, 1, 10] {
            for link in site.links.values {
                link.change { ways in
                    ways.up.delayMilliseconds = (milliseconds + 1) / 2
                    ways.down.delayMilliseconds = milliseconds / 2
                }
            }
            let before = try site.succeeded(in: "bulk")
            _ = try enqueue("bulk", type: "quick", "{}", count: count)
            let begin = SystemClock.monotonicNanoseconds()
            let done = try site.succeeded(in: "bulk") - before
            let isDone = try site.waitForSuccess(
                of: Int(before) + count, in: "bulk", seconds: 120)
            let seconds = Double(SystemClock.monotonicNanoseconds().since(begin)) / 1e9
            let rate = Int(Double(Int64(count) - done) / seconds)
            verdicts.note(isDone, "\(milliseconds) ms: \(rate) tasks a second")
        }
        setLinks(Way())
        try judgeStore()
    }
}
