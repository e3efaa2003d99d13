import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("sluice flow")
struct FlowTests {
    private func filled() -> Bench {
        let bench = Bench()
        for _ in 0..<3 { #expect(bench("enqueue mail send").exit == .done) }
        #expect(bench("enqueue hooks post --not-before +5m").exit == .done)
        #expect(bench("pause mail").exit == .done)
        return bench
    }

    @Test("prints a lane for each queue, with its gate")
    func picture() {
        let outcome = filled()("flow")
        #expect(outcome.exit == .done, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let mail = lines.first { $0.contains(" mail ") } ?? ""
        #expect(mail.contains("██") && mail.contains(" 3") && mail.contains("paused by dana"))
        #expect(mail.contains("→ 3/min") || mail.contains("→"), "\(mail)")
        let hooks = lines.first { $0.contains(" hooks ") } ?? ""
        #expect(hooks.contains("░") && hooks.contains("no worker"), "\(hooks)")
        #expect(lines.contains { $0.contains("last 2 minutes by 10 s") })
        #expect(!outcome.output.contains("seen since"))
    }

    @Test("--ascii draws with ASCII alone; --last 1h goes by minute")
    func ascii() {
        let output = filled()("flow --ascii --last 1h").output
        #expect(output.utf8.allSatisfy { $0 < 128 }, "\(output)")
        #expect(output.contains("last hour by minute") && output.contains("==# paused"))
    }

    @Test("--json has the counts, the gate and what ended")
    func json() {
        let bench = filled()
        let json = bench("flow --json").json
        let queues = json["queues"]?.array ?? []
        #expect(queues.count == 2)
        let mail = queues.first { $0["name"]?.string == "mail" }
        #expect(mail?["waiting"]?.integer == 3 && mail?["arrivedPerMinute"]?.integer == 3)
        #expect(mail?["gate"]?["open"] == .bool(false))
        #expect(mail?["gate"]?["words"]?.string == "paused by dana")
        let hooks = queues.first { $0["name"]?.string == "hooks" }
        #expect(hooks?["delayed"]?.integer == 1 && hooks?["due"]?.integer == 0)
        #expect(json["ended"]?["partSeconds"]?.integer == 10)
        #expect(json["ended"]?["succeeded"]?.array?.count == 12)
        let hour = bench("flow --json --last 1h").json["ended"]
        #expect(hour?["partSeconds"]?.integer == 60 && hour?["failed"]?.array?.count == 60)
    }

    @Test("refuses another time and words that it does not take")
    func refusals() {
        #expect(filled()("flow --last 3h").exit == .usage)
        #expect(filled()("flow mail").exit == .usage)
        #expect(Bench()("flow").output.contains("no queues"))
    }
}
