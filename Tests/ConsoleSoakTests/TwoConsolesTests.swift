import Platform
import ProgramHarness
import QueueModel
import TerminalHarness
import Testing

extension ConsoleSoak {
    /// Two people and four workers, judged by what the handlers wrote alone.
    @Suite("two consoles", .serialized)
    struct TwoConsolesTests {
        @Test("P2 B7 each task runs once and in order while two consoles step and pause by keys")
        func twoConsoles() async throws {
            let seed = Soak.seed()
            print("two consoles: seed \(seed)")
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try place.employWitness()
                let common = ["--retry", "fixed(0s)", "--attempts", "none"]
                try place.json(["queue", "set", "strict", "--after-failure", "block"] + common)
                try place.json(["queue", "set", "wide", "--concurrency", "4"] + common)
                let count = Soak.count(60, soak: 5000)
                let payloads = (0..<count).map { $0 % 20 == 7 ? #"{"fail":1}"# : "{}" }
                let strict = try place.enqueue("strict", payloads: payloads)
                let wide = try place.enqueue("wide", payloads: payloads)
                let workers = try (0..<4).map { _ in try place.startWorker(["--quiet"]) }
                var chance = SeededChance(seed: seed)
                let players = try ["strict", "wide"].map { queue in
                    try Player(LiveConsole.open(at: place, showing: "strict"), at: queue)
                }
                let deadline = Deadline(seconds: Soak.count(60, soak: 1800))
                var ended = 0
                while ended < 2 * count - 10, !deadline.isOver {
                    for player in players { for _ in 0..<20 { try player.play(&chance) } }
                    ended = place.testimony.count("end")
                }
                print("two consoles: \(players.map(\.summary).joined(separator: "; "))")
                for player in players {
                    try player.console.quit()
                }
                try place.json(["resume", "strict"])
                try place.json(["resume", "wide"])
                try place.wait(for: "the last task") { place.testimony.count("end") >= 2 * count }
                for worker in workers { try worker.signal(.terminate) }
                #expect(try workers.map { try $0.answer().code } == [0, 0, 0, 0])
                Self.judge(place.testimony, strict, wide)
                #expect(try place.list([]) == [])
                #expect(try place.sluice(["doctor"]).code == 0)
                #expect(place.processes() == [])
            }
        }

        private static func judge(_ all: Testimony, _ strict: [Int64], _ wide: [Int64]) {
            print("two consoles: \(all.count("start")) executions, \(all.count("end")) ends")
            #expect(all.tally("end").keys.sorted() == (strict + wide).sorted())
            #expect(all.count("end") == strict.count + wide.count)
            #expect(all.count("start") == all.count("end") + all.count("fail"))
            #expect(all.overlaps == [])
            #expect(all.of(strict).crowd == 1)
            #expect(all.of(wide).crowd <= 4)
            #expect(all.of(strict).strictBreaches(of: strict) == [])
            #expect(all.of(wide).breaches(of: wide, concurrency: 4) == [])
        }
    }
}

/// One person at a console who never rests.
private final class Player {
    let console: LiveConsole
    private var counts: [String: Int] = [:]
    private var terminal: TerminalSession { console.terminal }

    init(_ console: LiveConsole, at queue: String) throws {
        self.console = console
        try choose(queue)
    }

    var summary: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    func play(_ chance: inout SeededChance) throws {
        switch chance.number(0...99) {
        case 0...59: try press("s")
        case 60...74: try press("p")
        case 75...89: try press("r")
        case 90...94: try press("j")
        default: try choose(chance.number(0...1) == 0 ? "strict" : "wide")
        }
        try terminal.settle(quietMilliseconds: chance.number(1...6), timeoutSeconds: 1)
    }

    private func press(_ key: Character) throws {
        counts["\(key)", default: 0] += 1
        try terminal.key(.char(key))
    }

    /// Clicks on the name of a queue in the pane of queues.
    private func choose(_ queue: String) throws {
        counts["clicks", default: 0] += 1
        let screen = try terminal.screen
        let row = screen.rows.firstIndex { row in
            row.prefix(30).map(\.text).joined().split(separator: " ").contains { $0 == queue }
        }
        try terminal.click(column: 4, row: try #require(row, "\(queue)\n\(screen.text)"))
    }
}
