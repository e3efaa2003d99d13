import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

/// The session: keys pressed, response times, and saved screens.
final class MillionShow {
    private let place: MillionPlace
    private let folder: String
    private let session: TerminalSession
    private let recording = Recording(title: "sluice, 1,000,000 tasks", columns: 118, rows: 32)
    private let started: UInt64
    private var pictures: [(name: String, screen: ScreenPicture)] = []

    init(_ place: MillionPlace, into folder: String) throws {
        (self.place, self.folder) = (place, folder)
        try Files.makeDirectory(folder, withParents: true)
        started = SystemClock.monotonicNanoseconds()
        session = try TerminalSession(
            BuiltProgram.path(), [place.store], environment: place.environment, columns: 118,
            rows: 32)
        session.onOutput = { [recording] in recording.add($0, at: $1) }
    }

    /// The first rows, and moves by one key.
    func begin() throws {
        try session.wait(forText: "row 1 of 1,000,000")
        tell("start to the first rows", since: started)
        try rest()
        try keep("start")
        try press("Down", [.down], until: "row 2 of")
        try press("a page down", [.pageDown], until: "row 1")
        try press("G, the end", [.char("G")], until: "row 1,000,000 of 1,000,000")
        try press("g, the beginning", [.char("g")], until: "row 1 of 1,000,000")
    }

    /// A jump, filters and views.
    func look() throws {
        try session.send(":500000")
        try press("a jump to #500000", [.enter], until: "▶ 500000", or: " 500000  ")
        try session.send("g")
        try rest()
        try session.send("/type:digest")
        try press("filter type:digest", [.enter], until: "only type:digest")
        try press("Esc", [.escape], until: "of 1,000,000")
        try session.send("/group:customer-77")
        try press("filter group:customer-77", [.enter], until: "only group:customer-77")
        try keep("filter")
        try press("Esc", [.escape], until: "of 1,000,000")
        for (key, sign) in [
            ("2", "customer-77"), ("3", "begins"), ("4", "enqueued"), ("6", "runner"),
            ("7", "oldest"), ("1", "of 1,000,000"),
        ] {
            try press("view \(key)", [.char(Character(key))], until: sign)
        }
    }

    /// A search to its end, and a stopped one.
    func search() throws {
        try session.send("/text:amsterdam")
        let begin = try press("text:amsterdam, the first hits", [.enter], until: "looked through")
        try keep("search", settles: false)
        try session.wait("all") { picture in
            picture.lineTexts.contains { $0.contains("row 1 of 11") || $0.contains("row 1 of 12") }
        }
        tell("text:amsterdam, all 1,000,000 payloads", since: begin)
        try rest()
        try keep("found")
        try press("Esc", [.escape], until: "of 1,000,000")
        try session.send("/payload.user.id=7")
        let asked = try press(
            "/payload.user.id=7, the first", [.enter], until: "looked through", or: "of 200")
        try session.wait("all") { $0.position(of: "row 1 of 200") != nil }
        tell("/payload.user.id=7, all of 1,000,000", since: asked)
        try press("Esc", [.escape], until: "of 1,000,000")
        try session.send("/text:nowhere")
        try press("text:nowhere", [.enter], until: "looked through")
        try press("Esc, while it goes on", [.escape], until: "row 1 of 1,000,000")
    }

    /// Failures of 200 kinds, and a text search among them.
    func failures() throws {
        try session.wait(forText: "of 1,000,000")
        tell("start to the first rows of 1,000,000 failed", since: started)
        try press("view 5, failures", [.char("5")], until: "the shop said")
        try keep("failures")
        try press("view 1", [.char("1")], until: "of 1,000,000")
        try press("o, another order", [.char("o")], until: "over 10,000 are not sorted")
        try session.send("/timeout or refused")
        let begin = try press(
            "/timeout or refused, the first", [.enter], until: "looked through", or: " of 9 ")
        try session.wait("all") { $0.position(of: " of 9 ") != nil }
        tell("/timeout or refused, all of 1,000,000", since: begin)
        try press("Esc", [.escape], until: "of 1,000,000")
    }

    /// Keys while four workers drain.
    func drain() throws {
        let workers = try (0..<4).map { _ in
            try place.start(["work", "--handlers", place.handlers, "--slots", "64", "--quiet"])
        }
        try session.wait("work") { $0.lineTexts.contains { $0.contains("4 workers") } }
        recording.mark("four workers")
        let begin = SystemClock.monotonicNanoseconds()
        recording.end = begin + 1_500_000_000
        let end = begin + 5_000_000_000
        var times: [UInt64] = []
        let keys: [TerminalKey] = [.down, .down, .pageDown, .up, .pageUp, .end, .home]
        while SystemClock.monotonicNanoseconds() < end {
            let key = keys[times.count % keys.count]
            times.append(try session.nanosecondsToFirstByte { try session.key(key) })
            _ = try session.settle(quietMilliseconds: 60, timeoutSeconds: 0.15)
        }
        try keep("drain", settles: false)
        times.sort()
        print(
            "million: \(times.count) keys while four workers drain, to the first byte:"
                + " p50 \(milliseconds(times[times.count / 2])),"
                + " p95 \(milliseconds(times[times.count * 19 / 20]))")
        for worker in workers { try worker.signalGroup(.kill) }
        for worker in workers {
            _ = try Poll.wait(
                fds: [PollInterest(worker.pidfd.number)], timeoutMilliseconds: 10_000)
            _ = try worker.reap()
        }
    }

    /// The most memory that the console has held.
    func tellMemory() throws {
        let status = try Files.read("/proc/\(session.processID)/status", limitBytes: 1 << 16)
        for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("VmHWM") || line.hasPrefix("RssAnon") {
            print("million: console \(line.split(separator: "\t").joined(separator: " "))")
        }
    }

    /// Ends the program, and writes the saved screens.
    func end(withRecording: Bool) throws {
        try session.kill(.terminate)
        _ = try session.waitForExit()
        for (name, screen) in pictures {
            let png = try Picture.png(screen.svg(theme: .dark), zoom: 0.8)
            try Files.writeAtomically(png, to: "\(folder)/\(name).png")
        }
        guard withRecording else { return }
        let text = recording.lines.joined(separator: "\n") + "\n"
        try Files.writeAtomically(Array(text.utf8), to: "\(folder)/session.cast")
    }

    /// Presses keys and waits for the result. Returns its time.
    @discardableResult
    private func press(
        _ title: String, _ keys: [TerminalKey], until sign: String, or other: String? = nil
    ) throws -> UInt64 {
        try rest()
        recording.mark(title)
        try session.update()
        let offset = session.received.count
        let begin = SystemClock.monotonicNanoseconds()
        for key in keys { try session.key(key) }
        let first = try session.timeOfByte(at: offset) - begin
        try session.wait("\(title): \(sign)") { picture in
            picture.position(of: sign) != nil
                || other.map { picture.position(of: $0) != nil } ?? false
        }
        tell("\(title), first byte \(milliseconds(first)), there", since: begin)
        return begin
    }

    private func tell(_ title: String, since begin: UInt64) {
        print("million: \(title): \(milliseconds(SystemClock.monotonicNanoseconds() - begin))")
    }

    private func milliseconds(_ nanoseconds: UInt64) -> String {
        let tenths = (nanoseconds + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    /// A person looks for a moment.
    private func rest() throws {
        try session.settle(quietMilliseconds: 400, timeoutSeconds: 2)
    }

    /// Saves the screen. Drawing happens at the end, outside of the measurements.
    private func keep(_ name: String, settles: Bool = true) throws {
        if settles { try rest() }
        pictures.append((name, try session.screen))
    }
}
