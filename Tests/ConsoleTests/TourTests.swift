import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The demonstration's tour, and the way to another store and back.
@Suite("a tour")
struct TourTests {
    private static func hint(_ lead: String, _ key: String = "J") -> Hint {
        Hint(lead, [Hint.Step(key, "resumes")])
    }

    private func bench() throws -> Bench {
        let bench = try Bench(store: LivingScene.store(), now: LivingScene.now, name: "app.db")
        bench.state.settings.openingHint = Self.hint("opening", "s")
        bench.state.settings.recentStores = ["incident.tape"]
        bench.state.settings.tour = Tour(
            tape: "incident.tape",
            chapters: [
                Tour.Chapter(event: 0, Self.hint("it begins", ".")),
                Tour.Chapter(event: 2, Self.hint("it goes wrong", ".")),
            ], breakpoint: 1, atStop: Self.hint("at the stop", "r"),
            afterStop: Self.hint("past the stop"), afterTape: Self.hint("back"))
        return bench
    }

    /// The text of the hint.
    private func told(_ bench: Bench) -> String {
        guard let hint = bench.state.hint else { return "" }
        return "\(hint.lead): \(hint.steps.map(\.key).joined(separator: " · "))"
    }

    private func open(_ bench: Bench, _ name: String, tape: Int? = nil) {
        bench.tapeCount = tape
        bench.send(
            .opened(name: name, kind: tape == nil ? "sqlite" : "tape", isReadOnly: tape != nil))
    }

    @Test("at a stop it says how to come there, there what to do, and behind it what comes next")
    func stop() throws {
        let bench = try bench()
        #expect(told(bench) == "opening: s")
        let names = try #require(bench.state.scene?.queues.map(\.name))
        try #require(names.count > 2)
        let other = names[2]
        try bench.change { writer in
            var queue = try writer.requireQueue(other)
            var pause = Pause(
                cause: .breakpoint, by: "demo", reason: nil, since: LivingScene.now)
            pause.hits = [
                BreakpointHit(
                    breakpoint: 1, match: 1, moment: .before, task: 1, type: "t", until: nil,
                    isPassed: false)
            ]
            queue.pauses = [pause]
            try writer.put(queue)
        }
        #expect(told(bench) == "a breakpoint stopped \(other): h j j l")
        bench.press("h j j l")
        #expect(told(bench) == "at the stop: r")
        #expect(bench.state.selectedQueue == other)
        // The tour ignores other breakpoints.
        try bench.change { writer in
            var queue = try writer.requireQueue(other)
            queue.pauses[0].hits[0].breakpoint = 2
            try writer.put(queue)
        }
        #expect(told(bench) == "a breakpoint stopped \(other): s · r")
        try bench.change { writer in
            var queue = try writer.requireQueue(other)
            queue.pauses = []
            try writer.put(queue)
        }
        #expect(told(bench) == "past the stop: J")
    }

    @Test("one key opens the tape, where each part is told, and brings one back")
    func tape() throws {
        let bench = try bench()
        _ = bench.takeEffects()
        bench.press("J")
        guard case .open("incident.tape", _)? = bench.takeEffects().first(where: \.isOpen) else {
            Issue.record("nothing is opened: \(bench.message)")
            return
        }
        open(bench, "incident.tape", tape: 5)
        #expect(bench.message.contains("incident.tape is open; J goes back"))
        #expect(told(bench) == "it begins: .")
        bench.press(".")
        #expect(told(bench) == "it begins: .")
        bench.press(". .")
        #expect(told(bench) == "it goes wrong: .")
        bench.press(", , ,")
        #expect(told(bench) == "it begins: .")
        _ = bench.takeEffects()
        bench.press("J")
        guard case .open("app.db", _)? = bench.takeEffects().first(where: \.isOpen) else {
            Issue.record("nothing is opened: \(bench.message)")
            return
        }
        open(bench, "app.db")
        #expect(told(bench) == "back: J")
        // The hint lasts until the next verb, and blocks no message.
        bench.press("p")
        #expect(told(bench) == "")
    }

    @Test("where no other store was shown the key says how one is opened")
    func noOther() throws {
        let bench = try Bench(store: LivingScene.store(), now: LivingScene.now)
        bench.press("J")
        #expect(bench.message.contains("no other store was shown; :open PATH shows one"))
        open(bench, "b.db")
        _ = bench.takeEffects()
        bench.press("J")
        #expect(bench.takeEffects().contains { $0.isOpen })
    }
}

extension ConsoleEffect {
    fileprivate var isOpen: Bool { if case .open = self { true } else { false } }
}
