import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The form of a queue's settings.
@Suite("Settings on the screen")
struct SettingsTests {
    private static func bench(
        _ size: Size = Size(width: 118, height: 32), isReadOnly: Bool = false,
        glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let store = try LivingScene.store()
        try store.writeBlocking { store in
            var jobs = QueueRecord(name: "jobs", createdAt: LivingScene.now)
            jobs.settings = QueueSettings.preset(named: "delayed-job") ?? QueueSettings()
            jobs.settings.concurrency = 3
            jobs.settings.timeoutMilliseconds = nil
            jobs.settings.priority = 7
            try store.put(jobs)
            var mail = QueueRecord(name: "mail", createdAt: LivingScene.now)
            mail.settings = QueueSettings.preset(named: "customer-io") ?? QueueSettings()
            mail.settings.priority = 10
            mail.settings.start = .continuous
            try store.put(mail)
        }
        return Bench(
            store: store, size: size, now: LivingScene.now, isReadOnly: isReadOnly, glyphs: glyphs)
    }

    struct Case: CustomTestStringConvertible {
        var name: String
        var size: Size
        var keys: String
        var glyphs = GlyphSet.unicode
        var testDescription: String { name }
    }

    static let wide = Size(width: 118, height: 32)
    static let small = Size(width: 80, height: 24)
    static let cases: [Case] = [
        Case(name: "settings-118x32", size: wide, keys: "h g j j j E j j j"),
        Case(name: "settings-batched-118x32", size: wide, keys: "h g j E j j"),
        Case(name: "settings-80x24", size: small, keys: "h g j j j E j j j"),
        Case(name: "settings-end-80x24", size: small, keys: "h g j j j E G"),
        Case(name: "settings-ascii-80x24", size: small, keys: "h g j j j E j", glyphs: .ascii),
        Case(name: "settings-60x20", size: Size(width: 60, height: 20), keys: "h g j j j E j j"),
        Case(name: "settings-40x10", size: Size(width: 40, height: 10), keys: "h g j j j E j j"),
        Case(name: "settings-prompt-80x24", size: small, keys: "h g j j j E j Enter Tab"),
        Case(name: "settings-preset-80x24", size: small, keys: "h g j j j E Enter Tab Enter"),
    ]

    @Test("Q11 K5 the form of the settings at each size", arguments: cases)
    func picture(_ example: Case) throws {
        let bench = try Self.bench(example.size, glyphs: example.glyphs)
        bench.press(example.keys)
        try Pictures.check(example.name, bench.buffer)
    }

    @Test("Q11 each setting of each preset is written as it is read")
    func spelling() throws {
        for (name, settings) in QueueSettings.presets {
            for setting in QueueSetting.allCases where setting != .preset {
                guard let change = settings.change(for: setting) else { continue }
                #expect(try setting.change(change.text) == change, "\(name) \(setting)")
                #expect(change.setting == setting)
                #expect(try settings.changed(change) == settings)
            }
            let whole = try QueueSettings().changed(try QueueSetting.preset.change(name))
            #expect(whole.differences(from: settings) == [.preset])
        }
    }

    @Test("Q11 D9 a value is changed in one commit, told as its command, and undone")
    func change() throws {
        let bench = try Self.bench()
        bench.press("7 g j j E j j Enter")
        #expect(bench.lines.contains { $0.contains("delayed-job; 3 differ") })
        bench.press("Backspace 5 Enter")
        #expect(bench.message == "queue set jobs --concurrency 5 | done · z undoes it")
        #expect(try concurrency(bench) == 5)
        bench.press("z")
        #expect(try concurrency(bench) == 3)
        #expect(bench.lines.contains { $0.contains("Settings of jobs") })
        bench.press("Esc")
        #expect(bench.lines.contains { $0.contains("5 queues") || $0.contains("6 queues") })
    }

    private func concurrency(_ bench: Bench) throws -> Int? {
        try bench.store.readBlocking { try $0.queue(named: "jobs")?.settings.concurrency }
    }

    static let refused: [(String, String, String)] = [
        ("j j", "0", "--concurrency: \"0\" is not allowed: allowed: a whole number of at least 1"),
        ("j", "soon", "--order: \"soon\" is not allowed: allowed: fifo, lifo, priority, key"),
        ("j j j j j j j j", "x", "allowed: fixed(10s), linear(20s,4s)"),
    ]

    @Test("Q11 a wrong value is refused in the words of the command", arguments: refused)
    func refuses(_ moves: String, _ text: String, _ words: String) throws {
        let bench = try Self.bench()
        bench.press("7 g j j E \(moves) Enter ^U")
        bench.type(text)
        bench.press("Enter")
        guard case .prompt(let prompt)? = bench.state.modal else {
            Issue.record("nothing is asked any more")
            return
        }
        let note = (prompt.note ?? "").replacing("; ", with: ": ")
        #expect(prompt.isError && note.contains(words), "\(note)")
        bench.press("Esc")
        #expect(bench.message.contains("nothing was changed"))
    }

    @Test("Q11 K9 a preset is chosen by name, what it changes is shown before, and undone as one")
    func preset() throws {
        let bench = try Self.bench()
        bench.press("7 g j j E Enter ^U")
        bench.type("yap")
        bench.press("Enter")
        #expect(bench.screen.contains("preset yap for jobs?"))
        #expect(bench.lines.contains { $0.contains("order") && $0.contains("→ fifo") })
        #expect(try concurrency(bench) == 3)
        bench.press("y")
        let said = "queue set jobs --preset yap | 1 task that waits keeps its priority: "
        #expect(bench.message.hasPrefix(said))
        #expect(bench.lines.contains { $0.contains("preset yap; none differs") })
        bench.press("z")
        #expect(try concurrency(bench) == 3)
    }

    @Test("a setting that the queue has not is refused, and so is all of a read-only store")
    func refusals() throws {
        let mail = try Self.bench()
        mail.press("h g j E j j j j j j j Enter")
        #expect(mail.message.contains("mail is continuous, so it has no batch-count"))
        let locked = try Self.bench(isReadOnly: true)
        locked.press("h g j E j Enter")
        #expect(locked.message.contains("open for reading only"))
        #expect(locked.screen.contains("Settings of mail"))
    }

    @Test("K9 a queue is deleted from the menu after a question; not while it runs something")
    func deletes() throws {
        let bench = try Self.bench()
        #expect(DisabledReasons(state: bench.state).reason(.deleteQueue) == nil)
        bench.press("h g j j j j")
        let running = DisabledReasons(state: bench.state).reason(.deleteQueue) ?? ""
        #expect(running.contains("1 task of messages runs"))
        bench.press("k")
        bench.choose(.deleteQueue)
        #expect(bench.screen.contains("delete the queue jobs?"))
        #expect(bench.screen.contains("1 task is forgotten with it"))
        bench.press("y")
        #expect(bench.message.hasPrefix("queue delete jobs --yes"))
        #expect(try concurrency(bench) == nil)
    }

    @Test("K1 the cursor follows its setting; a queue that goes takes its form along")
    func follows() throws {
        let bench = try Self.bench()
        bench.press("h g j E G")
        let last = bench.state.page
        try bench.change { store in
            var mail = try store.requireQueue("mail")
            mail.settings.start = .batched(count: 3, delayMilliseconds: 1000)
            try store.put(mail)
        }
        #expect(bench.state.page == last)
        bench.press("Enter")
        try bench.change { try $0.removeQueue(named: "mail") }
        #expect(bench.message.contains("the queue mail was removed"))
        #expect(bench.state.modal == nil && bench.state.page == nil)
    }
}
