import SluiceModel
import SluiceSystem
import SluiceTestSupport

extension ManyTrial {
    /// `SLUICE_MANY` may name a smaller number, for a short look.
    static let many =
        ProcessIdentity.environment("SLUICE_MANY").flatMap { Int($0) }.map { max($0, 1000) }
        ?? 100_000

    /// A server that restarts, and one that crashes, in the middle of many tasks.
    func crash() throws {
        verdicts.chapter("\(Self.many) tasks, and the server goes away twice in the middle")
        _ = try enqueue("line", #"{"ms":100}"#, count: 120)
        let ids = try enqueue("bulk", type: "quick", "{}", count: Self.many)
        let begin = SystemClock.monotonicNanoseconds()
        for (share, isCrash) in [(25, false), (60, true)] {
            guard
                try site.waitForSuccess(
                    of: Self.many / 100 * share, in: "bulk", seconds: 120)
            else {
                return verdicts.note(false, "only \(try site.succeeded(in: "bulk")) tasks done")
            }
            let done = try site.succeeded(in: "bulk")
            try site.server.stop(isCrash: isCrash)
            Site.rest(milliseconds: 1500)
            try site.server.start()
            verdicts.say("the server \(isCrash ? "crashed" : "was restarted") at \(done) tasks")
        }
        let isDone = try site.waitForSuccess(of: Self.many, in: "bulk", seconds: 150)
        let seconds = SystemClock.monotonicNanoseconds().since(begin) / 1_000_000_000
        let left = try site.number(
            "SELECT count(*) FROM sluice.task WHERE state = 1 AND type = 'quick'")
        verdicts.note(
            isDone, "all were executed in \(seconds) s, both absences included (\(left) still run)")
        _ = try site.waitForSuccess(of: 120, in: "line", seconds: 60)
        judgeReports(of: ids)
        judgeOrder()
        try judgeStore()
    }

    /// The workers' reports about their tasks, apart from the store.
    private func judgeReports(of ids: [Int64]) {
        var told: [Int64: Int] = [:]
        var shares: [String] = []
        var least = Int.max
        for name in Site.workers {
            let own = Self.successes(site.said(by: name))
            for id in own { told[id, default: 0] += 1 }
            shares.append("\(name) \(own.count)")
            least = min(least, own.count)
        }
        verdicts.note(
            least >= Self.many / 10,
            "the claims were spread: \(shares.joined(separator: ", "))")
        let twice = told.values.count { $0 > 1 }
        verdicts.note(twice == 0, "\(twice) tasks were reported as done more than once")
        let unknown = Set(told.keys).subtracting(ids).count
        let unsaid = ids.count - told.count
        verdicts.note(
            unknown == 0 && unsaid <= 384,
            "\(unsaid) were settled in a commit whose answer the server's end swallowed")
    }

    /// The quick tasks with a success in a worker's output.
    private static func successes(_ text: String) -> [Int64] {
        text.utf8.split(separator: 10).compactMap { line -> Int64? in
            let line = Substring(line)
            guard line.contains("\"quick\""), line.contains("\"success\"") else { return nil }
            let digits = line.drop { !$0.isNumber }.prefix { $0.isNumber }
            return Int64(digits)
        }
    }
}
