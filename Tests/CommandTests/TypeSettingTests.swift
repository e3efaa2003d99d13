import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// `queue set --type` and `--rank`.
@Suite("settings of types by command")
struct TypeSettingTests {
    @Test("Q14 a type's settings are set, shown, explained and unset")
    func lifecycle() throws {
        let bench = Bench()
        _ = bench("queue set q")
        let set = bench("queue set q --type send --retry fixed(10s) --attempts 3 --timeout none")
        #expect(set.exit == .done, "\(set.errors)")
        #expect(bench("log").output.contains("attempts of send 3"))
        let queue = try #require(bench("queues --json").json["queues"]?.array?.first)
        #expect(
            queue["types"]
                == ["send": ["attempts": 3, "retry": "fixed(10s)", "timeoutMilliseconds": .null]])
        #expect(queue["rank"] == nil)
        #expect(bench("queues").output.contains("; send: attempts 3, r…"))
        _ = bench("enqueue q send")
        _ = bench("enqueue q draw")
        #expect(bench("show 1").output.contains("0/3"))
        #expect(bench("show 2").output.contains("0/10"))
        let tasks = try #require(bench("list q --json").json["tasks"]?.array)
        #expect(tasks.map { $0["attemptLimit"] } == [3, 10])
        #expect(bench("report 1").output.contains("type send: attempts 3, retry fixed(10s)"))
        _ = bench("queue set q --type send --retry default --timeout default")
        #expect(
            bench("queues --json").json["queues"]?.array?.first?["types"]
                == ["send": ["attempts": 3]])
        _ = bench("queue set q --type send --attempts default")
        #expect(bench("queues --json").json["queues"]?.array?.first?["types"] == nil)
    }

    @Test(
        "Q14 a wrong setting of a type names what is allowed, and nothing changes",
        arguments: [
            ("--type send", "--attempts, --retry, --timeout, --concurrency, --unique"),
            ("--type send --concurrency none", "default, a whole number of at least 1"),
            ("--type send --priority 2", "--priority is a setting of the queue"),
            ("--type send --attempts 2 --order lifo", "--order is a setting of the queue"),
            ("--type send --attempts few", "default, none, or a whole number"),
            ("--type send --retry never", "default, fixed(10s)"),
            ("--retry default", "fixed(10s)"),
            ("--rank a,b,a", "names the type \"a\" twice"),
            ("--rank a,,b", "empty"),
        ])
    func refused(_ options: String, part: String) throws {
        try Self.checkRefusal(of: options, part: part)
    }

    /// Checks that `queue set` refuses options with a reason, and changes nothing.
    static func checkRefusal(of options: String, part: String) throws {
        let bench = Bench()
        _ = bench("enqueue q send")
        let before = try bench.contents()
        let outcome = bench("queue set q \(options)")
        #expect(outcome.exit != .done && outcome.errors.contains(part), "\(outcome.errors)")
        #expect(try bench.contents() == before)
    }

    @Test("Q14 IDJ-36 the concurrency of a type is set, shown and unset")
    func concurrency() throws {
        let bench = Bench()
        _ = bench("queue set q")
        let set = bench("queue set q --concurrency 4 --type send --concurrency 2")
        #expect(set.exit == .usage, "\(set.errors)")
        #expect(bench("queue set q --type send --concurrency 2").exit == .done)
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["types"] == ["send": ["concurrency": 2]])
        #expect(bench("log").output.contains("concurrency of send 2"))
        #expect(bench("log --script").output.contains("--type send --concurrency 2"))
        #expect(bench("queue set q --type send --concurrency default").exit == .done)
        #expect(bench("queues --json").json["queues"]?.array?.first?["types"] == nil)
    }

    @Test("Q6 KKT-27 the types of a queue say whether their tasks are required")
    func required() throws {
        let bench = Bench()
        #expect(bench("queue set q --required yes").exit == .done)
        let set = bench("queue set q --type push --required no")
        #expect(set.exit == .done, "\(set.errors)")
        _ = bench("enqueue q login")
        _ = bench("enqueue q push")
        _ = bench("enqueue q push --required")
        #expect((1...3).map { bench("show \($0) --json").json["required"] } == [true, false, true])
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["required"] == true && queue?["types"] == ["push": ["required": false]])
        #expect(bench("log").output.contains("required of push no"))
        #expect(bench("queue set q --type push --required maybe").errors.contains("yes, no"))
        #expect(bench("queue set q --preset startup --type push").exit != .done)
        _ = bench("queue set q --type push --required default")
        _ = bench("enqueue q push")
        #expect(bench("show 4 --json").json["required"] == true)
        _ = bench("queue set q --required no")
        _ = bench("enqueue q login")
        #expect(bench("show 5 --json").json["required"] == false)
        #expect(bench("undo").exit == .done)
        #expect(bench("queues --json").json["queues"]?.array?.first?["required"] == nil)
    }

    @Test("T5 IDJ-38 the time of a key, and keys by a place of the payload, by command")
    func unique() throws {
        let bench = Bench()
        #expect(bench("enqueue q send --for end").exit == .usage)
        #expect(bench("enqueue q send --unique k --for soon --json").errorCode == "badValue")
        let refused = bench("enqueue q send --unique k --for 10m")
        #expect(refused.errors.contains("sluice queue set q --keep-finished 10m"), "\(refused)")
        #expect(bench("queue set q --keep-finished 10m").exit == .done)
        #expect(bench("enqueue q send --unique k --for 10m").exit == .done)
        #expect(bench("enqueue q send --unique k --for 10m --json").json["kept"]?.array?.count == 1)
        let set = bench("queue set q --type send --unique order:replace")
        #expect(set.exit == .done, "\(set.errors)")
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["types"] == ["send": ["unique": "order:replace"]])
        _ = bench.run(["enqueue", "q", "send", #"{"order":7}"#])
        _ = bench.run(["enqueue", "q", "send", #"{"order":7}"#])
        #expect(bench("list --filter unique:7 --json").json["tasks"]?.array?.count == 1)
        let script = bench("log --script").output
        #expect(script.contains("--unique=k:keep --for=10m"), "\(script)")
        #expect(bench("queue set q --unique a,b").errors.contains("PATH[:keep|replace|reject]"))
    }

    @Test("Q15 KKT-28 ranks of types order a start-up, and a new step changes no number")
    func ranks() throws {
        var bench = Bench()
        let rank = "--rank network,location,check,login,push=scheme,banner"
        #expect(bench("queue set startup --preset startup \(rank)").exit == .done)
        bench.input =
            #"{"type":"banner"}"# + "\n" + #"{"type":"login"}"# + "\n"
            + #"{"type":"scheme"}"# + "\n" + #"{"type":"network","priority":1}"#
        _ = bench("enqueue startup --jsonl -")
        _ = bench("enqueue startup push --priority 0")
        func order() throws -> [String?] {
            let tasks = try #require(bench("list startup --json").json["tasks"]?.array)
            return tasks.map { $0["type"]?.string }
        }
        #expect(try order() == ["login", "scheme", "banner", "network", "push"])
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["rank"] == "network,location,check,login,push=scheme,banner")
        _ = bench("queue set startup --rank network,location,check,login,terms,push=scheme,banner")
        _ = bench("enqueue startup terms")
        #expect(try order() == ["login", "terms", "scheme", "banner", "network", "push"])
        #expect(bench("log --script").output.contains("--rank network,location,check,login,terms"))
        _ = bench("queue set startup --rank none")
        #expect(bench("queues --json").json["queues"]?.array?.first?["rank"] == nil)
    }

    @Test("Q14 the script of a journal sets a type's settings again")
    func script() throws {
        let bench = Bench()
        _ = bench("queue set q --type send --retry fixed(10s) --attempts 3")
        let script = bench("log --script").output
        let line = script.split(separator: "\n").first { $0.hasPrefix("sluice queue set") }
        #expect(
            line.map(String.init)?.hasPrefix(
                "sluice queue set q --type send --attempts 3 --retry 'fixed(10s)'") == true,
            "\(script)")
    }

    @Test("Q11 IDJ-40 a preset that is set again keeps names, summary, types and ranks")
    func preset() throws {
        let bench = Bench()
        func names() -> JSONValue? {
            bench("queues --json").json["queues"]?.array?.first?["priorityNames"]
        }
        _ = bench("queue set jobs --preset delayed-job")
        #expect(names() == ["high": 10, "medium": 5, "normal": 1])
        _ = bench("enqueue jobs resize --priority high")
        #expect(bench("list jobs").output.contains(" high "))
        _ = bench("queue set jobs --preset yap")
        #expect(names() == nil)
        _ = bench("queue set jobs --preset delayed-job --names high=10,urgent=30")
        _ = bench("queue set jobs --summary to --rank resize --concurrency 3")
        _ = bench("queue set jobs --type resize --attempts 2")
        _ = bench("queue set jobs --preset delayed-job")
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["priorityNames"] == ["urgent": 30, "high": 10])
        #expect(queue?["summary"] == "to" && queue?["rank"] == "resize")
        #expect(queue?["types"] == ["resize": ["attempts": 2]])
        #expect(queue?["concurrency"] == 1)
    }
}
