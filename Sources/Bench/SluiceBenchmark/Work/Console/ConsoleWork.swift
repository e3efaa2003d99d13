import SluiceModel
import SluiceSystem

/// C1 to C4: the real console on a terminal, compared with a blocking curses loop on rows in
/// memory.
struct ConsoleWork: Work {
    static let rows = ["C1", "C2", "C3", "C4"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        let path = try bench.filled(bench.amount(1_000_000), .oneQueue, types: 4)
        let session = try ConsoleSession(bench: bench, path: path)
        if bench.options.wants("C1") { try tell(try session.starts()) }
        if bench.options.wants("C2") { for figure in try session.keys() { try tell(figure) } }
        if bench.options.wants("C3") { for figure in try session.jumps() { try tell(figure) } }
        if bench.options.wants("C3") { for figure in try session.searches() { try tell(figure) } }
        if bench.options.wants("C4") { for figure in try session.rest() { try tell(figure) } }
        try Files.remove(path)
    }
}

/// The console and its floor program, on the same store and number of rows.
struct ConsoleSession {
    let bench: Workbench
    private let path: String
    private let programs: (sluice: String, raw: String)
    private let count: Int
    /// The text in every row of both programs.
    static let mark = "task-"

    init(bench: Workbench, path: String) throws {
        (self.bench, self.path) = (bench, path)
        programs = try bench.programs()
        count = bench.amount(1_000_000)
    }

    func console() throws -> Screen {
        try Screen(programs.sluice, ["--store", path, "--read-only"])
    }

    private func floor() throws -> Screen {
        try Screen(programs.raw, ["console", "\(count)"])
    }

    /// C1: from the start of the program to its first rows.
    func starts() throws -> Figure {
        var figure = Figure(
            id: "C1", title: "console, start to the first rows", unit: "ms",
            goal: .atMost(30))
        figure.base = "the curses loop"
        figure.goalIsOfValue = true
        for _ in 0..<(3 * bench.repetitions) {
            let base = try floor().wait(for: Self.mark)
            figure.samples.append(
                Figure.Sample(value: try console().wait(for: Self.mark), bare: base))
        }
        return figure
    }

    /// C2: from a key to the first byte.
    func keys() throws -> [Figure] {
        var figures: [Figure] = []
        let kinds: [(title: String, keys: [[UInt8]], count: Int)] = [
            ("Down", [Keys.down], 100), ("a page down", [Keys.pageDown], 40),
            ("start and end", [Keys.end, Keys.home], 20),
            ("change of view", [Array("2".utf8), Array("1".utf8)], 20),
        ]
        for kind in kinds {
            var half = Figure(
                id: "C2", title: "\(kind.title), key to first byte, p50", unit: "ms",
                goal: .within(0.3))
            var late = Figure(
                id: "C2", title: "\(kind.title), key to first byte, p95", unit: "ms",
                goal: .within(0.6))
            (half.base, late.base) = ("the curses loop", "the curses loop")
            for _ in 0..<bench.repetitions {
                let base = try times(floor(), kind.keys, kind.count)
                let own = try times(console(), kind.keys, kind.count)
                half.samples.append(
                    Figure.Sample(value: own.percentile(50), bare: base.percentile(50)))
                late.samples.append(
                    Figure.Sample(value: own.percentile(95), bare: base.percentile(95)))
            }
            figures += [half, late]
        }
        return figures
    }

    private func times(_ screen: Screen, _ keys: [[UInt8]], _ count: Int) throws -> [Double] {
        _ = try screen.wait(for: Self.mark)
        try screen.settle()
        return try (0..<count).map { try screen.press(keys[$0 % keys.count]).first }
    }

    /// C3: from the key to the whole answer on the screen.
    func jumps() throws -> [Figure] {
        let number = count / 2
        let kinds: [(title: String, words: String)] = [
            ("jump to the end", "\u{1B}OF"), ("jump to a number", ":\(number)\r"),
            ("filter by type", "/type:task-2\r"), ("filter by state", "/state:due\r"),
            ("filter by a group that is not there", "/group:none\r"),
        ]
        return try kinds.map { kind in
            var figure = Figure(id: "C3", title: kind.title, unit: "ms", goal: .atMost(16))
            for _ in 0..<(2 * bench.repetitions) {
                let screen = try console()
                _ = try screen.wait(for: Self.mark)
                try screen.settle()
                let bytes = Array(kind.words.utf8)
                if !kind.words.hasPrefix("\u{1B}") {
                    for byte in bytes.dropLast() { _ = try screen.press([byte], quiet: 5) }
                }
                let key = kind.words.hasPrefix("\u{1B}") ? bytes : [13]
                figure.samples.append(
                    Figure.Sample(value: try screen.press(key, quiet: 300).last))
            }
            return figure
        }
    }

    /// C3: a full search for a word in the first and last payload, and the time to stop a running
    /// search.
    func searches() throws -> [Figure] {
        var first = Figure(
            id: "C3", title: "search payloads, first hit", unit: "ms", goal: .atMost(16))
        var whole = Figure(
            id: "C3", title: "search payloads, all looked through", unit: "ms",
            goal: .atMost(300))
        var stop = Figure(
            id: "C3", title: "search payloads, key to its stop", unit: "ms", goal: .atMost(60))
        for _ in 0..<bench.repetitions {
            let screen = try console()
            _ = try screen.wait(for: Self.mark)
            try screen.settle()
            for byte in "/text:\(Workbench.needle)".utf8 {
                _ = try screen.press([byte], quiet: 5)
            }
            try bench.bringIntoMemory(path)
            let answer = try screen.press([13], quiet: 300)
            first.samples.append(Figure.Sample(value: answer.first))
            whole.samples.append(Figure.Sample(value: answer.last))
            _ = try screen.press(Keys.escape, quiet: 300)
            for byte in "/text:none\r".utf8 { _ = try screen.press([byte], quiet: 5) }
            stop.samples.append(Figure.Sample(value: try screen.press(Keys.escape).last))
        }
        return [first, whole, stop]
    }

    /// C4: the cost while idle, and the output for one Down key.
    func rest() throws -> [Figure] {
        var memory = Figure(id: "C4", title: "console, memory", unit: "MB", goal: .atMost(30))
        var busy = Figure(id: "C4", title: "console, idle, processor", unit: "ms/s")
        var wakes = Figure(id: "C4", title: "console, idle, wake-ups", unit: "1/s")
        (busy.goal, wakes.goal) = (.atMost(0), .atMost(0))
        var mark = Figure(id: "C4", title: "a Down that moves the mark", unit: "bytes")
        var beside = Figure(id: "C4", title: "a Down that scrolls beside the queues", unit: "bytes")
        (mark.goal, beside.goal) = (.atMost(400), .atMost(3000))
        for _ in 0..<bench.repetitions {
            let screen = try console()
            _ = try screen.wait(for: Self.mark)
            try passMinute(screen)
            let rest = try Rest(of: screen.child.processID, seconds: bench.divisor == 1 ? 4 : 1)
            busy.samples.append(Figure.Sample(value: rest.millisecondsPerSecond))
            wakes.samples.append(Figure.Sample(value: rest.wakesPerSecond))
            let downs = try (0..<60).map { _ in
                Double(try screen.press(Keys.down).bytes)
            }
            mark.samples.append(Figure.Sample(value: Array(downs[2..<12]).percentile(50)))
            beside.samples.append(Figure.Sample(value: Array(downs[40...]).percentile(50)))
            for key in Self.everyKey { _ = try screen.press(key, quiet: 30) }
            memory.samples.append(
                Figure.Sample(value: try Rest(of: screen.child.processID, seconds: 0).megabytes))
        }
        return [memory, busy, wakes, mark, beside]
    }

    /// The clock in the corner changes with the minute, which is three wake-ups: that is not within
    /// the seconds that follow.
    private func passMinute(_ screen: Screen) throws {
        try screen.settle(300)
        let left = 60_000 - Workbench.now().milliseconds % 60_000
        guard left < 6000 else { return }
        _ = try Poll.wait(fds: [], timeoutMilliseconds: Int(left) + 500)
        try screen.settle(300)
    }

    /// Typical keys of a session: views, ends, pages, a jump, a filter.
    private static let everyKey: [[UInt8]] =
        "234561".utf8.map { [$0] } + [Keys.end, Keys.home, Keys.pageDown]
        + Array(":1000\r".utf8).map { [$0] } + Array("/type:task-1\r".utf8).map { [$0] }
        + [Keys.escape] + Array(repeating: Keys.pageDown, count: 20)
}
