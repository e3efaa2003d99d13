import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// `--notify`: the bell and the notice of the desktop.
@Suite("notices of conditions")
struct NotifyTests {
    private func bench(isNotifying: Bool = true) throws -> Bench {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.state.settings.notifies = isNotifying
        return bench
    }

    private func alert(_ queue: String, _ kind: QueueAlert.Kind = .stuck) -> QueueAlert {
        QueueAlert(subject: .init(kind: kind, queue: queue), text: "\(queue) is \(kind.rawValue)")
    }

    private func notices(_ bench: Bench) -> [String] {
        bench.takeEffects().compactMap { if case .notify(let text) = $0 { text } else { nil } }
    }

    private func questions(_ bench: Bench) -> Int {
        bench.takeEffects().count { $0 == .readAlerts }
    }

    @Test("the store is asked every five seconds, and never without the option")
    func asks() throws {
        let silent = try bench(isNotifying: false)
        silent.wait(milliseconds: 60_000)
        #expect(questions(silent) == 0)
        let bench = try bench()
        bench.wait(milliseconds: 10)
        #expect(questions(bench) == 1)
        bench.wait(milliseconds: 6000)
        #expect(questions(bench) == 0, "one question at a time")
        bench.send(.alerts([]))
        #expect(questions(bench) == 1)
        bench.send(.alerts([]))
        bench.wait(milliseconds: 4999)
        #expect(questions(bench) == 0)
        #expect(bench.state.nextAlerts == bench.now + 1)
        bench.wait(milliseconds: 1)
        #expect(questions(bench) == 1)
        bench.send(.alerts(nil))
        bench.wait(milliseconds: -60_000)
        #expect(questions(bench) == 1, "the clock went back")
    }

    @Test("a condition that begins rings once; those of the first answer are no news")
    func begins() throws {
        let bench = try bench()
        bench.send(.alerts([alert("uploads")]))
        #expect(notices(bench) == [])
        bench.send(.alerts([alert("uploads"), alert("jobs", .noWorker)]))
        #expect(notices(bench) == ["app.db: jobs is no-worker"])
        #expect(bench.message.contains("jobs is no-worker"))
        bench.send(.alerts([alert("jobs", .noWorker)]))
        bench.send(.alerts(nil))
        #expect(notices(bench) == [])
        bench.send(.alerts([alert("a"), alert("b"), alert("c")]))
        #expect(notices(bench) == ["app.db: a is stuck · 2 more"])
    }

    @Test("in a place of a fleet the alerts of all places ring, each once")
    func fleet() throws {
        let bench = try bench()
        bench.state.settings.fleet = ["app.db", "other.db"]
        bench.send(.alerts([]))
        let first = alert("other.db mail")
        bench.send(.alerts([first]))
        #expect(notices(bench) == ["other.db mail is stuck"])
        bench.send(.opened(name: "other.db", kind: "sqlite", isReadOnly: false))
        bench.send(.alerts([first, alert("app.db jobs")]))
        #expect(notices(bench) == ["app.db jobs is stuck"])
        // A store outside the fleet begins anew.
        bench.send(.opened(name: "third.db", kind: "sqlite", isReadOnly: false))
        bench.send(.alerts([alert("jobs")]))
        #expect(notices(bench) == [])
        bench.send(.alerts([alert("jobs"), alert("mail")]))
        #expect(notices(bench) == ["third.db: mail is stuck"])
    }

    @Test("a question on the screen stays")
    func question() throws {
        let bench = try bench()
        bench.send(.alerts([]))
        bench.press("x")
        let modal = try #require(bench.state.modal)
        bench.send(.alerts([alert("jobs")]))
        #expect(bench.state.modal == modal && bench.message.contains("stuck") == false)
        #expect(notices(bench) == ["app.db: jobs is stuck"])
    }
}
