import SluiceModel
import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
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
                let trial = try OrderTrial(tasksInEach: Soak.count(60, soak: 5000))
                var chance = SeededChance(seed: seed)
                let players = try ["strict", "wide"].map { queue in
                    try Player(LiveConsole.open(at: trial.place, showing: "strict"), at: queue)
                }
                try trial.resume()
                let deadline = Deadline(seconds: Soak.count(60, soak: 1800))
                let enough = trial.strict.count + trial.wide.count - 10
                while trial.ended < enough, !deadline.isOver {
                    for player in players { for _ in 0..<20 { try player.play(&chance) } }
                }
                print("two consoles: \(players.map(\.summary).joined(separator: "; "))")
                for player in players { try player.console.quit() }
                #expect(try trial.verdict() == [])
            }
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
