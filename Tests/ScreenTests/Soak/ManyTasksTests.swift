import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// A long queue feels like a short one (K6).
    @Suite("many tasks", .serialized)
    struct ManyTasksTests {
        @Test("K6 the first rows, each key and the memory do not grow with the queue")
        func manyTasks() async throws {
            try await Workplace.onOwnThread {
                let count = Soak.count(5_000, soak: 100_000)
                let place = try Workplace.withStore()
                try place.json(["queue", "set", "mail", "--order", "priority"])
                try place.json(["pause", "mail"])
                try Self.fill(place, count: count)
                var starts = Spread()
                for _ in 0..<5 {
                    let begin = SystemClock.monotonicNanoseconds()
                    let console = try LiveConsole(at: place)
                    // The list says which row the cursor is on once its rows are there.
                    try console.terminal.wait(forText: "row 1 of", timeoutSeconds: 30)
                    starts.add(nanoseconds: SystemClock.monotonicNanoseconds() - begin)
                    try console.quit()
                }
                print("many tasks: \(count) tasks, start to first rows: \(starts)")
                let console = try LiveConsole.open(at: place, showing: "row 1 of")
                let first = try ProcessUse(of: console.terminal.processID).residentKiB
                var whole = Spread()
                for press in Press.all(count: count) {
                    var times = Spread()
                    try press.prepare(console.terminal)
                    for round in 0..<Soak.count(6, soak: 50) {
                        let time = try press.measure(on: console.terminal, round: round)
                        times.add(nanoseconds: time)
                        whole.add(nanoseconds: time)
                    }
                    print("many tasks: \(press.name) to first byte: \(times)")
                }
                let last = try ProcessUse(of: console.terminal.processID).residentKiB
                print("many tasks: all keys: \(whole); memory \(first) KiB, then \(last) KiB")
                #expect(starts.percentile(50) < 5000)
                #expect(whole.percentile(95) < 1000)
                #expect(last < 300 * 1024)
                try console.quit()
            }
        }

        private static func fill(_ place: Workplace, count: Int) throws {
            let neighbour = try Neighbour(at: place)
            let payload = Array(#"{"user":"dana","event":"opened","at":"2026-01-15"}"#.utf8)
            for slice in 0..<count / 1000 {
                try neighbour.enqueue(
                    "mail",
                    (0..<1000).map { number in
                        var request = EnqueueRequest(type: "job", payload: payload)
                        request.priority = number % 5
                        if number % 10 == 0 { request.groupStart = "g\(slice).\(number)" }
                        if number % 10 == 5 { request.groupMembers = ["g\(slice).\(number - 5)"] }
                        return request
                    })
            }
            try neighbour.leave()
        }
    }
}

/// A key, again and again, each time after the screen has come to rest.
private struct Press {
    let name: String
    /// The keys of the rounds in turn, and the text to wait for. An earlier key might have no
    /// effect.
    let keys: [(key: TerminalKey, shown: String?)]

    static func all(count: Int) -> [Press] {
        let last = "row \(NumberText.grouped(count)) of"
        return [
            Press(name: "down", keys: [(.down, nil)]),
            Press(name: "page down", keys: [(.pageDown, nil)]),
            Press(name: "G and g", keys: [(.char("G"), last), (.char("g"), "row 1 of")]),
            Press(name: "next view", keys: [(.tab, nil)]),
            Press(name: "why and back", keys: [(.char("w"), "waits for"), (.char("q"), "row ")]),
        ]
    }

    /// Back to the list, its cursor on the first row.
    func prepare(_ terminal: TerminalSession) throws {
        try terminal.keys(.char("1"), .char("g"))
        try terminal.wait(forText: "row 1 of", timeoutSeconds: 30)
        try terminal.settle(quietMilliseconds: 200)
    }

    func measure(on terminal: TerminalSession, round: Int) throws -> UInt64 {
        let (key, shown) = keys[round % keys.count]
        let time = try terminal.nanosecondsToFirstByte { try terminal.key(key) }
        if let shown { try terminal.wait(forText: shown, timeoutSeconds: 30) }
        try terminal.settle(quietMilliseconds: 40)
        return time
    }
}
