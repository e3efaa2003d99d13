import SluiceModel
import SluiceSystem
import SluiceTestSupport

/// The demonstration on many machines, act by act.
final class ManyTrial {
    let site: Site
    let verdicts = Verdicts()
    /// The tasks of the strict queue `line`, in their order.
    var line: [Int64] = []
    /// The number of enqueued tasks, by queue.
    private(set) var handed: [String: Int] = [:]

    init(seed: UInt64) throws {
        site = try Site(seed: seed)
        try site.sluice(["init"])
        let common = ["--attempts", "none", "--keep-finished", "200000"]
        for (queue, words) in [
            ("line", ["--after-failure", "block", "--retry", "fixed(0s)"]),
            ("clock", ["--after-failure", "block", "--retry", "fixed(2s)"]),
            ("later", ["--concurrency", "8"]), ("wide", ["--concurrency", "192"]),
            ("hold", ["--concurrency", "8", "--retry", "fixed(0s)"]),
            ("bulk", ["--concurrency", "192"]),
        ] {
            try site.sluice(["queue", "set", queue] + words + common)
        }
        for name in Site.workers { try site.recruit(name) }
        guard try site.wait(seconds: 30, until: { try attached == 3 }) else {
            throw ManyFailure(
                "the workers do not attach: \(Site.workers.map { site.complaints(of: $0) })")
        }
    }

    /// Makes all links so slow and lossy in both directions.
    func setLinks(_ way: Way) {
        for link in site.links.values { link.change { ($0.up, $0.down) = (way, way) } }
    }

    var attached: Int64 { get throws { try site.number("SELECT count(*) FROM sluice.process") } }

    /// Hands tasks over, and remembers how many.
    func enqueue(_ queue: String, type: String = "job", payloads: [String]) throws -> [Int64] {
        let ids = try site.enqueue(queue, type: type, payloads: payloads)
        handed[queue, default: 0] += ids.count
        if queue == "line" { line += ids }
        return ids
    }

    /// Counts tasks enqueued in other ways.
    func count(_ queue: String, _ number: Int) { handed[queue, default: 0] += number }

    /// Enqueues the same task `count` times.
    func enqueue(
        _ queue: String, type: String = "job", _ payload: String, count: Int
    ) throws -> [Int64] {
        try enqueue(queue, type: type, payloads: Array(repeating: payload, count: count))
    }

    /// The order of the strict queue, as its handlers tell it.
    func judgeOrder() {
        let told = site.judge
        verdicts.none(
            told.overlaps, "no execution began while another one of its task still gave signs")
        verdicts.none(
            told.testimony.of(line).strictBreaches(of: line),
            "the strict queue kept its order, \(told.testimony.of(line).count("end")) executions")
    }

    /// Checks that every enqueued task exists and succeeded once.
    func judgeStore() throws {
        for (queue, count) in handed.sorted(by: { $0.key < $1.key }) {
            let done = try site.waitForSuccess(of: count, in: queue, seconds: 90)
            let found = try site.succeeded(in: queue)
            verdicts.note(
                done && found == Int64(count), "\(queue): \(found) of \(count) tasks succeeded")
        }
        let twice = try site.number(
            """
            SELECT count(*) FROM (SELECT task FROM sluice.attempt WHERE outcome = 'success'
            GROUP BY task HAVING count(*) > 1) AS several
            """)
        verdicts.note(twice == 0, "\(twice) tasks were settled as succeeded more than once")
        let open = try site.number("SELECT count(*) FROM sluice.attempt WHERE ended_at IS NULL")
        verdicts.note(open == 0, "\(open) executions are open in the store")
    }
}
