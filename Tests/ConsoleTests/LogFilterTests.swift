import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("/ in view 4")
struct LogFilterTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Two queues; what ann and bo did with them, a minute apart.
    private func bench(minutes: Int64 = 4) throws -> Bench {
        let store = MemoryStore()
        try store.writeBlocking { store in
            for queue in ["mail", "push"] {
                try store.put(QueueRecord(name: queue, createdAt: Self.start))
            }
            let all = [
                ("mail", 1, "ann", "#1 stepped by ann"), ("mail", nil, "bo", "mail paused by bo"),
                ("push", 2, "ann", "#2 skipped by ann"), ("mail", 12, "ann", "#12 skipped by ann"),
            ]
            try store.append(
                all.enumerated().map { place, line in
                    JournalEvent(
                        at: Self.start + Int64(place) * 60_000, kind: "pause", queue: line.0,
                        task: line.1.map { TaskID($0) }, by: line.2, text: line.3)
                })
        }
        return Bench(store: store, now: Self.start + minutes * 60_000)
    }

    private func shown(_ bench: Bench) -> [String] {
        (bench.state.scene?.activity ?? []).compactMap { line in
            guard case .journal(.event(let event)) = line.entry else { return nil }
            return event.text
        }
    }

    private func prompt(_ bench: Bench) -> Prompt? {
        guard case .prompt(let prompt)? = bench.state.modal else { return nil }
        return prompt
    }

    @Test("K1 the lines that match are shown and counted while one types; Esc takes it away")
    func live() throws {
        let bench = try bench()
        bench.press("4")
        let all = ["#1 stepped by ann", "mail paused by bo", "#12 skipped by ann"]
        #expect(shown(bench) == all)
        bench.press("/")
        bench.type("SKIP")
        #expect(shown(bench) == ["#12 skipped by ann"] && prompt(bench)?.note == "1 line")
        bench.press("Esc")
        #expect(shown(bench) == all && bench.state.logFilter == nil)
        bench.press("/")
        bench.type("by:ann")
        #expect(prompt(bench)?.note == "2 lines")
        bench.press("Enter")
        #expect(shown(bench) == ["#1 stepped by ann", "#12 skipped by ann"])
        #expect(bench.screen.contains("2 lines · only by:ann"), "\(bench.screen)")
        // The filter stays during changes, and remains editable.
        try bench.change { store in
            try store.append([
                JournalEvent(
                    at: Self.start, kind: "skip", queue: "mail", task: 3, by: "bo", text: "#3 gone")
            ])
        }
        #expect(shown(bench).count == 2)
        bench.press("/")
        #expect(prompt(bench)?.editor.text == "by:ann")
        bench.press("Esc Esc")
        #expect(shown(bench).count == 4 && bench.state.logFilter == nil)
    }

    @Test(
        "G7 it asks words, tasks, who, the queue and since when",
        arguments: [
            ("ann 12", ["#12 skipped by ann"]), ("#1", ["#1 stepped by ann"]),
            ("#1 #12", ["#1 stepped by ann", "#12 skipped by ann"]),
            ("by:bo", ["mail paused by bo"]), ("id:2", ["#2 skipped by ann"]),
            ("queue:push", ["#2 skipped by ann"]), ("since:90s", ["#12 skipped by ann"]),
            ("\"paused by\"", ["mail paused by bo"]), ("since:90s paused", []),
        ])
    func asks(_ line: String, _ expected: [String]) throws {
        let bench = try bench()
        // For all queues.
        bench.press("4 h k l /")
        bench.type(line)
        bench.press("Enter")
        #expect(shown(bench) == expected, "\(bench.screen)")
        if expected.isEmpty {
            #expect(bench.screen.contains("No line of the log matches \(line)."))
        }
    }

    @Test("G7 where nothing matches it says whether one queue's log was looked at, or all of it")
    func place() throws {
        let bench = try bench()
        bench.press("4 /")
        bench.type("nowhere")
        bench.press("Enter")
        #expect(bench.screen.contains("No line of this queue's log matches nowhere."))
    }

    @Test("F what the log cannot be asked is said at once, and the line is not taken")
    func wrong() throws {
        let bench = try bench()
        bench.press("4 /")
        for (line, words) in [
            ("type:x", "a line of the log has no \"type\""), ("by:", "says nothing"),
            ("since:soon", "\"soon\" is no time"), ("id:x", "\"x\" is no task"),
        ] {
            bench.type(line)
            #expect(prompt(bench)?.note?.contains(words) == true && prompt(bench)?.isError == true)
            bench.press("Enter")
            #expect(prompt(bench) != nil && bench.state.logFilter == nil)
            for _ in line { bench.press("Backspace") }
        }
    }

    @Test("K the words that were found are marked")
    func marked() throws {
        let bench = try bench()
        bench.press("4 /")
        bench.type("paused")
        bench.press("Enter")
        let y = try #require(bench.lines.firstIndex { $0.contains("paused by bo") })
        let letters = Array(bench.lines[y])
        let x = try #require(letters.indices.first { letters[$0...].starts(with: "paused") })
        #expect(bench.buffer[x, y]?.role == .key)
    }

    @Test("G6 on a tape Enter goes from a line that was found to its moment")
    func tape() throws {
        let bench = try bench(minutes: 0)
        bench.tapeCount = 250
        bench.send(.storeChanged)
        bench.press("4 /")
        bench.type("paused")
        bench.press("Enter Enter")
        #expect(bench.state.scene?.tape?.event == 1)
    }
}
