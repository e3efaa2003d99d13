import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Hostile")
struct HostileTests {
    /// A small generator for reproducible failures.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    static let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200d}a\nb\r\tc"

    @Test("K11 escape sequences of payloads, names and errors never reach the terminal")
    func sanitised() throws {
        let store = try LivingScene.store()
        try store.writeBlocking { store in
            var task = LivingScene.retrying(
                2000, "profiles", Self.evil, 1, age: 10, in: 50, of: 60)
            task.position = 1
            task.lastError = Self.evil
            task.label = Self.evil
            task.groupStart = Self.evil
            try store.insert([NewTask(task: task, payload: Array(Self.evil.utf8))])
            try store.append([
                JournalEvent(
                    at: LivingScene.now, kind: Self.evil, queue: Self.evil, task: 2000,
                    by: Self.evil, text: Self.evil)
            ])
        }
        let bench = Bench(
            store: store, size: Size(width: 100, height: 30), now: LivingScene.now,
            name: Self.evil)
        for keys in [
            "", "w", "Esc Enter", "Tab", "PgDn", "Esc 2 l", "3", "4", "7", "1 a", "Esc E", "Enter",
            "Esc Esc d",
        ] {
            bench.press(keys)
            let bad = bench.buffer.lines.joined().unicodeScalars.first {
                $0.value < 32 || (0x7f..<0xa0).contains($0.value) || $0.value == 0x202e
            }
            #expect(bad == nil, "after \(keys)")
        }
    }

    private static let keys: [Key] =
        "sScpPrxdRt+-meDizwaEE/:?nNgG[]<>()FTyhjklq 123456789*".map { Key.character($0) }
        + [
            .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .escape, .tab,
            .backTab, .backspace, .control("c"), .control("l"), .f(5), .character("y"),
        ]

    @Test("K8 random keys, sizes, clicks and changes never crash", arguments: 0..<24)
    func random(seed: Int) throws {
        var random = Seeded(state: UInt64(seed))
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        for step in 0..<250 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<80:
                bench.send(.input(.key(Self.keys.randomElement(using: &random) ?? .enter)))
            case ..<86:
                let size = Size(
                    width: Int.random(in: 0...300, using: &random),
                    height: Int.random(in: 0...100, using: &random))
                bench.send(.resized(size))
            case ..<90:
                let point = Point(
                    x: Int.random(in: -2...130, using: &random),
                    y: Int.random(in: -2...50, using: &random))
                let action: Mouse.Action =
                    Bool.random(using: &random) ? .press(.left) : .wheelDown
                bench.send(.input(.mouse(Mouse(action, at: point))))
            case ..<95: bench.wait(milliseconds: Int64.random(in: 0...5000, using: &random))
            case ..<97: bench.type("track 5")
            default: bench.send(.storeChanged)
            }
            if step % 5 == 0 { _ = bench.buffer }
        }
        #expect(bench.buffer.size == bench.state.size)
    }

    @Test("K8 every view and page draws at every hostile size")
    func sizes() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        for keys in [
            "", "w", "Esc Enter", "Esc ?", "Esc a", "Esc 2", "3", "4", "6", "7", "E", "G Enter",
            "Esc Esc 1 d", "Esc :",
        ] {
            bench.press(keys)
            for width in [0, 1, 2, 10, 39, 40, 41, 79, 80, 81, 110, 300] {
                for height in [0, 1, 2, 9, 10, 11, 16, 17, 24, 100] {
                    let size = Size(width: width, height: height)
                    #expect(bench.state.view(size).size == size)
                    _ = bench.state.cursor(size)
                }
            }
        }
    }
}
