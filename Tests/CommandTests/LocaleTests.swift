import SluiceControl
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("Output in a character set that is not UTF-8")
struct LocaleTests {
    static let commands = [
        "queues", "list", "show 1", "show 2", "why 1", "log", "show 2 --json", "help", "help keys",
        "help enqueue", "doctor", "skip 99", "forecast q",
    ]

    @Test("K5 with LC_ALL=C every command prints ASCII alone", arguments: commands)
    func ascii(_ command: String) {
        var bench = Bench()
        _ = bench.run(["enqueue", "q", "t", "{\"name\":\"Zoë → 👩‍👩‍👧\"}"])
        _ = bench.run(["enqueue", "qü", "t", "“x”"])
        _ = bench.run(["pause", "q", "--reason", "naïve…"])
        let whole = bench(command)
        bench.environment["LC_ALL"] = "C"
        let plain = bench(command)
        #expect((plain.output + plain.errors).utf8.allSatisfy { $0 < 0x80 })
        #expect(plain.exit == whole.exit)
        #expect(plain.json == whole.json, "escaped JSON means the same")
    }

    @Test("K5 a sign of ours has a twin, any other character its number")
    func twins() {
        #expect(PlainText.of("a → b · “é”…") == "a > b - \"\\u{e9}\"~")
        #expect(PlainText.ofJSON("\"👩é\"") == #""\ud83d\udc69\u00e9""#)
    }

    @Test("K5 K11 a picture of several scalars is whole in what a command prints")
    func pictures() {
        let bench = Bench()
        let family = "👩‍👩‍👧👍🏽🇩🇪"
        _ = bench.run(["enqueue", "q", "t", family, "--label", family])
        #expect(bench("show 1").output.contains("  \(family)\n"))
        _ = bench.run(["enqueue", "q", family])
        #expect(bench("list").output.contains(family))
        #expect(bench("log").output.contains(family))
    }
}
