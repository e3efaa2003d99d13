import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTapes

/// A part of D: a tape of 1,000,000 events opened, and the way back from an event.
struct TapeWork {
    let bench: Workbench
    /// The first event of the way back.
    private static let place = 10_000

    func measure(_ tell: (Figure) throws -> Void) throws {
        var open = Figure(
            id: "D", title: "a tape of 1,000,000 events opened", unit: "ms", goal: .atMost(3000))
        var back = Figure(
            id: "D", title: "one event back on it", unit: "ms", goal: .atMost(50))
        (open.goalIsOfValue, back.goalIsOfValue) = (true, true)
        (open.base, back.base) = ("a tape of 20,000", "a tape of 20,000")
        let (many, few) = (try tape(bench.amount(1_000_000)), try tape(bench.amount(20_000)))
        for _ in 0..<bench.repetitions {
            let (own, bare) = (try look(many), try look(few))
            open.samples.append(Figure.Sample(value: own.open, bare: bare.open))
            back.samples.append(Figure.Sample(value: own.back, bare: bare.back))
        }
        for path in [many, few] { try Files.remove(path) }
        try tell(open)
        try tell(back)
    }

    private func look(_ path: String) throws -> (open: Double, back: Double) {
        var opened: TapePlayer?
        let open = try Workbench.seconds {
            opened = try TapePlayer(TapeFile(path))
            _ = try opened?.view(at: 0)
        }
        guard let opened else { return (0, 0) }
        let place = min(Self.place, opened.file.count)
        _ = try opened.view(at: place)
        let back = try Workbench.seconds { _ = try opened.view(at: place - 1) }
        return (open * 1000, back * 1000)
    }

    /// A tape with some number of events: one task that changes repeatedly.
    private func tape(_ count: Int) throws -> String {
        let (store, path) = try bench.newStore()
        defer { store.close() }
        try Workbench.enqueue([Workbench.request()], to: "q", store)
        let recorder = try TapeRecorder(
            store, TapeRecorder.Request(path: "\(path).tape"), person: "bench",
            now: { Workbench.now() })
        try recorder.writeBeginning()
        try Workbench.control(store).performBlocking(.skip([TaskTarget(1)], forMilliseconds: nil))
        _ = try recorder.end(nil)
        let lines = try Files.read("\(path).tape", limitBytes: 1 << 20).split(separator: 10)
        let events = lines.indices.filter { lines[$0].starts(with: Array("{\"event\":".utf8)) }
        guard let first = events.first, let last = lines.last else {
            throw Workbench.Untrue(description: "nothing was recorded of \(path)")
        }
        var bytes = Array(lines[..<first].joined(separator: [10])) + [10]
        let opened = TapeSum.opened(String(decoding: lines[first], as: UTF8.self))
        let rest = String(opened.dropFirst("{\"event\":1".count))
        try Files.remove("\(path).tape")
        let file = try Files.create("\(path).tape")
        for number in 1...count {
            TapeSum.seal("{\"event\":\(number)\(rest)", into: &bytes)
            if bytes.count > 1 << 20 {
                try file.writeAll(bytes)
                bytes = []
            }
        }
        try file.writeAll(bytes + last + [10])
        return "\(path).tape"
    }
}
