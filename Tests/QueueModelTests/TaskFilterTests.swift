import SluiceModel
import Testing

@Suite("Filters")
struct TaskFilterTests {
    @Test(
        "D10 a filter is read back from its text",
        arguments: [
            "state:waiting", "state:failed,parked type:track", "-state:running",
            "queue:\"my mails\"",
            "group:\"a \\\"b\\\" \\\\c\"", "id:12", "id:12,15", "id:10..20,7", "type:a:b",
            "id:3143DAD0", "id:7,3143DAD0-E28A", "id:12345678",
            "type:-x",
            "queue:a,b", "-id:1 -type:x group:é", "session:a -session:\"b c\"",
            "state:heldByGroup", "text:\"a b\" -text:c:d", "type:/a", "type:!",
        ])
    func spelled(_ text: String) throws {
        #expect(try TaskFilter(text).description == text)
    }

    @Test("Other spellings mean the same")
    func same() throws {
        #expect(try TaskFilter("  !type:x \t id:#5..#9 ") == TaskFilter("-type:x id:5..9"))
        #expect(try TaskFilter("queue:\"q\"") == TaskFilter("queue:q"))
        #expect(try TaskFilter("id:3143dad0") == TaskFilter("id:3143DAD0"))
    }

    @Test(
        "A bad filter says where, and what was meant",
        arguments: [
            ("", "empty", "state:"), ("   ", "empty", "state:"),
            ("failed", "character 1", "state:failed"),
            ("type:x stat:failed", "character 8", "did you mean state:?"),
            ("state:faild", "character 7", "state:failed"), ("state:", "no value", "state:VALUE"),
            ("state:failed,", "\"\"", "states are"), ("id:x", "\"x\"", "id:12"),
            ("id:20..10", "20..10", "id:12"), ("id:1..", "1..", "id:12"),
            ("id:1...5", "1...5", "id:12"),
            ("id:", "no value", "id:VALUE"), ("type:\"a", "character 6", "close it"),
            ("type:\"a\"b", "character 9", "blank"), ("type:a\"b\"", "character 6", "quotes"),
            ("type:\"\"", "no value", "type:VALUE"), ("--type:x", "\"-type\"", "type:"),
            ("- type:x", "character 2", "state:"), ("foo:bar", "no key \"foo\"", "state:"),
            ("type:\"a\\", "character 6", "close it"), ("\"type:a\"", "character 1", "state:"),
        ])
    func refused(_ text: String, _ message: String, _ fix: String) {
        let error = #expect(throws: QueueError.self) { try TaskFilter(text) }
        #expect(error?.code == .badFilter)
        #expect(
            error?.message.contains(message) == true && error?.fix.contains(fix) == true,
            "\(String(describing: error))")
    }

    private static let task: QueueTask = {
        var task = QueueTask(
            id: 15, queue: "my mails", type: "track", position: 1, createdAt: at(0))
        task.groupStart = "g"
        task.session = "s"
        task.groupMembers = ["h", "i j"]
        return task
    }()

    @Test(
        "D10 every word must hold",
        arguments: [
            ("type:track", true), ("type:trac", false), ("-type:track", false),
            ("queue:\"my mails\"", true),
            ("session:s", true), ("session:t", false), ("-session:t", true),
            ("text:track", true), ("text:ä", true), ("text:racket", false), ("-text:racket", true),
            ("-text:track", false), ("text:track type:x", false), ("text:\"k\\\": \"", true),
            ("group:g", true), ("group:h", true), ("group:\"i j\"", true), ("group:i", false),
            ("id:15", true), ("id:1,15", true), ("id:10..20", true), ("id:16..20", false),
            ("-id:16..20 type:track", true), ("type:track id:1", false), ("state:waiting", true),
            ("state:retrying", true), ("state:delayed", false), ("state:due,retrying", true),
            ("-state:due -state:parked", true), ("id:0..9223372036854775807", true),
        ])
    func matches(_ text: String, _ isMatch: Bool) throws {
        let filter = try TaskFilter(text)
        let payload = Array("{\"track\": \"ä\"}".utf8)
        #expect(filter.matches(Self.task, display: .retrying, payload: { payload }) == isMatch)
    }

    @Test("Each state takes in the finer ones that it shows as", arguments: Display.allCases)
    func states(_ display: Display) throws {
        let waiting: Set<Display> = [
            .next, .due, .delayed, .retrying, .heldByGroup, .parked, .skipped, .blocked,
        ]
        for state in TaskFilter.State.allCases {
            let expected =
                switch state {
                case .waiting: waiting.contains(display)
                case .running: display == .running || display == .stuck
                case .due: display == .due || display == .next
                default: display.rawValue == state.rawValue
                }
            let filter = TaskFilter([TaskFilter.Word(.state([state]))])
            #expect(filter.matches(Self.task, display: display, payload: { [] }) == expected)
        }
    }

    @Test(
        "Q8 the states and the queue that a match may have are known",
        arguments: [
            ("state:parked", [.waiting], nil), ("state:failed", [.failed, .waiting], nil),
            ("state:stuck,deleted queue:q", [.running, .deleted], "q"),
            ("state:due state:running", [], nil), ("-state:due -queue:q", nil, nil),
        ] as [(String, Set<TaskState.Name>?, String?)])
    func bounds(_ text: String, _ states: Set<TaskState.Name>?, _ queue: String?) throws {
        let filter = try TaskFilter(text)
        #expect(filter.storedStates == states ?? Set(TaskState.Name.allCases))
        #expect(filter.queue == queue)
    }
}
