import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// Names for priorities of a queue.
@Suite("Priorities by name")
struct PriorityNameTests {
    private func priorities(_ bench: Bench) throws -> [Int] {
        try bench.store.readBlocking { store in
            try store.tasks(matching: TaskQuery(queue: "startup", state: .waiting, limit: 10)).map(
                \.priority)
        }
    }

    private func startup() -> Bench {
        let bench = Bench()
        let names = ["--names", "login=30, push = 20,event=10"]
        let outcome = bench.run(["queue", "set", "startup", "--preset", "startup"] + names)
        #expect(outcome.exit == .done, "\(outcome.errors)")
        return bench
    }

    @Test("KKT-22 a priority is given by its name wherever it is given")
    func given() throws {
        var bench = startup()
        #expect(bench("enqueue startup a --priority push").exit == .done)
        bench.input = #"{"type":"b","priority":"login"}"# + "\n" + #"{"type":"c","priority":-1}"#
        #expect(bench("enqueue startup --jsonl -").exit == .done)
        #expect(try priorities(bench) == [30, 20, -1])
        #expect(bench("priority 3 login").exit == .done)
        #expect(bench("edit 1 --set priority=event").exit == .done)
        #expect(try priorities(bench) == [30, 30, 10])
        #expect(bench("log").output.contains("#3 given priority login by dana"))
        #expect(bench("priority 3 -7").exit == .done)
        #expect(try priorities(bench) == [30, 10, -7])
    }

    @Test("KKT-22 lists show names, JSON keeps numbers beside them")
    func shown() throws {
        let bench = startup()
        _ = bench("enqueue startup a --priority push")
        _ = bench("enqueue startup b --priority 7")
        let table = bench("list startup").output.split(separator: "\n")
        #expect(table.contains { $0.contains(" push ") } && table.contains { $0.contains(" 7 ") })
        #expect(bench("show 1").output.contains("priority: push (20)"))
        let tasks = try #require(bench("list startup --json").json["tasks"]?.array)
        #expect(tasks.map { $0["priority"] } == [20, 7])
        #expect(tasks.map { $0["priorityName"] } == ["push", nil])
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["priorityNames"] == ["login": 30, "push": 20, "event": 10])
        _ = bench("queue set startup --names none")
        #expect(!bench("list startup").output.contains("push"))
    }

    @Test("KKT-22 a filter that compares with a name is told the number of the one queue with it")
    func compared() throws {
        let bench = startup()
        for line in ["list --filter priority>=login", "skip --filter (priority>=login) --yes"] {
            let outcome = bench(line)
            #expect(outcome.exit == .usage && outcome.errors.contains("\"login\" is no number"))
            #expect(
                outcome.errors.contains("login is 30 in startup: write priority>=30"), "\(line)")
        }
        let other = bench("list --filter attempts>login").errors
        #expect(!other.contains("startup"), "\(other)")
        _ = bench.run(["queue", "set", "other", "--names", "login=7"])
        let two = bench("list --filter priority>=login").errors
        #expect(two.contains("write priority>=0"), "\(two)")
    }

    static let refused: [(words: [String], said: String)] = [
        (["enqueue", "startup", "a", "--priority", "logn"], "did you mean login?"),
        (["enqueue", "other", "a", "--priority", "login"], "queue set other --names"),
        (["enqueue", "startup", "a", "--priority", "9z"], "a whole number, or a name"),
        (["priority", "1", "unheard"], "login, push, event"),
        (["queue", "set", "startup", "--names", "a=1,a=2"], "login=30,push=20"),
        (["queue", "set", "startup", "--names", "7=1"], "login=30,push=20"),
        (["queue", "set", "startup", "--names", "a"], "login=30,push=20"),
    ]

    @Test("KKT-22 a name that is none says which there are", arguments: refused)
    func refusal(_ words: [String], _ said: String) throws {
        let bench = startup()
        _ = bench("enqueue startup first")
        let before = try bench.contents()
        let outcome = bench.run(words)
        #expect(outcome.exit == .usage && outcome.errors.contains(said), "\(outcome.errors)")
        #expect(try bench.contents() == before)
    }

    @Test("KKT-22 T6 a line that names no priority of the queue is named by its number")
    func badLine() throws {
        var bench = startup()
        bench.input = "{\"type\":\"a\"}\n\n{\"type\":\"b\",\"priority\":\"high\"}\n"
        let outcome = bench("enqueue startup --jsonl -")
        #expect(outcome.errors.contains("line 3: startup has no priority named \"high\""))
        #expect(try priorities(bench) == [])
    }
}
