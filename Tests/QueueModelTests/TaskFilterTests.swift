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
            "queue:a,b", "kim", "\"two words\" -refused", "timeout or refused kim",
            "(timeout or refused) -(type:a type:b)", "type:dig*,\"a*\"", "label:*",
            "type~^a|b$", "error~\"a b\\\\d\"", "attempts>=3 priority<0 size>64KiB age>5m",
            "due<30s duration!=2s changed<=10m", "payload.user.id=7",
            "payload.items[0].name~^A", "payload.coupon", "payload.\"a.b\"<7", "payload[0]=\"\"",
            "\"failed\" \"or\" \"-x\" \"a:b\" \"@a\" \"payload.x\"", "runner:3 unique:u*",
            "-id:1 -type:x group:é", "session:a -session:\"b c\"",
            "state:held", "text:\"a b\" -text:c:d", "type:/a", "type:!",
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
        "F other ways to say the same",
        arguments: [
            ("a and b", "a b"), ("not a", "-a"), ("not not a", "-(-a)"), ("a AND (b)", "a b"),
            ("a (b c)", "a b c"), ("(a or b) or c", "a or b or c"), ("not(a b)", "-(a b)"),
            ("attempts==3", "attempts=3"), ("size>=65536", "size>=64KiB"), ("age>90s", "age>90s"),
            ("id:5-40,77", "id:5..40,77"), ("state:heldByGroup", "state:held"),
            ("state:s*", "state:skipped,stuck,succeeded"), ("payload.a==7", "payload.a=7"),
            ("a or b c or d", "a or b c or d"), ("-(a or b)", "-(a or b)"), ("KIM", "KIM"),
            ("type:f(x)", "type:\"f(x)\""), ("f(x) y", "\"f(x)\" y"), ("(type:a)", "type:a"),
            ("(text~(a|b))", "text~(a|b)"), ("id:12345678-1234", "id:12345678-1234"),
        ])
    func alike(_ text: String, _ other: String) throws {
        #expect(try TaskFilter(text).description == other)
        #expect(try TaskFilter(other) == TaskFilter(text))
    }

    @Test(
        "F a mistake is named with its place and what may be meant",
        arguments: [
            ("", "empty", "state:"), ("   ", "empty", "state:"),
            ("failed", "character 1", "state:failed, or \"failed\""),
            ("type:x Held", "character 8", "state:held"),
            ("type:x stat:failed", "character 8", "did you mean state:?"),
            ("state:faild", "character 7", "state:failed"), ("state:", "no value", "state:VALUE"),
            ("state:failed,", "\"\"", "states are"), ("id:x", "\"x\"", "id:12"),
            ("id:20..10", "20..10", "id:12"), ("id:1..", "1..", "id:12"),
            ("id:1...5", "1...5", "id:12"),
            ("id:", "no value", "id:VALUE"), ("type:\"a", "character 6", "close it"),
            ("type:\"a\"b", "character 9", "blank"), ("type:a\"b\"", "character 6", "quotes"),
            ("type:\"\"", "no value", "type:VALUE"), ("--type:x", "\"-type\"", "type:"),
            ("- type:x", "character 2", "state:"), ("foo:bar", "no field \"foo\"", "state:"),
            ("type:\"a\\", "character 6", "close it"), ("a\"b\"", "character 2", "quotes"),
            ("(a", "character 1", "close it"), ("a)", "character 2", "take it away"),
            ("or a", "character 1", "\"or\""), ("a or", "nothing after \"or\"", "\"or\""),
            ("(a and ) b", "nothing after \"and\"", "\"and\""),
            ("a and or b", "character 7", "\"or\""), ("not", "nothing after \"not\"", "\"not\""),
            ("'a'", "character 1", "are double: \"a\""),
            ("type:x -'two words'", "character 9", "are double: \"two words\""),
            ("('a') b", "character 2", "are double: \"a\""),
            ("()", "character 2", "quote"), ("atempts>3", "character 1", "attempts"),
            ("attempts:3", "character 9", "attempts>3"),
            ("attempts>x", "character 10", "attempts>3"),
            ("size>5m", "\"5m\" is no size", "64KiB"), ("age>", "no value", "age>5m"),
            ("type>3", "character 5", "type:VALUE"),
            ("user.id=7", "character 1", "payload.user.id"),
            ("http://x", "character 1", "\"http://x\""), ("<b>", "character 1", "\"<b>\""),
            ("payload.", "character 9", "payload.user.id"), ("payload[x]", "character 8", "[0]"),
            ("payload.a<x", "\"x\" is no number", "<7"), ("payload.a:7", "character 10", "=7"),
            ("@stuck", "character 1", "filter save stuck"), ("type~", "no expression", "~^a"),
            ("type~(a", "character 6", "regular expression"),
            ("type~a(?=b)", "look around", "regular"), ("type~(a)\\1", "back reference", "regular"),
            ("type~(a{100}){200}", "10000 states", "regular"), ("type~*", "nothing to repeat", "["),
        ])
    func refused(_ text: String, _ message: String, _ fix: String) {
        let error = #expect(throws: QueueError.self) { try TaskFilter(text) }
        #expect(error?.code == .badFilter)
        #expect(
            error?.message.contains(message) == true && error?.fix.contains(fix) == true,
            "\(String(describing: error))")
    }

    @Test("F a saved filter stands for what it was saved as, and not for itself")
    func saved() throws {
        let saved = ["stuck": "state:failed age>1h", "own": "a @own", "two": "@stuck or @one"]
        let filter = try TaskFilter("type:x -@stuck", saved: saved)
        #expect(filter.description == "type:x -@stuck")
        #expect(try TaskFilter("@stuck", saved: saved).storedStates == [.failed, .waiting])
        func message(_ text: String) -> String? {
            let error = #expect(throws: QueueError.self) { try TaskFilter(text, saved: saved) }
            return error?.description
        }
        #expect(message("@own")?.contains("@own contains itself") == true)
        #expect(message("@stuk")?.contains("did you mean @stuck?") == true)
        #expect(message("@two")?.contains("@two: filter, character 11: ") == true)
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
        let facts = KnownFacts(now: at(60), display: .retrying, payload: payload)
        #expect(try filter.matches(Self.task, facts) == isMatch)
    }

    @Test("Each state takes in the finer ones that it shows as", arguments: Display.allCases)
    func states(_ display: Display) throws {
        let facts = KnownFacts(now: at(60), display: display)
        let waiting: Set<Display> = [
            .next, .due, .delayed, .retrying, .held, .parked, .skipped, .blocked,
        ]
        for state in TaskFilter.State.allCases {
            let expected =
                switch state {
                case .waiting: waiting.contains(display)
                case .running: display == .running || display == .stuck
                case .due: display == .due || display == .next
                default: display.rawValue == state.rawValue
                }
            let filter = TaskFilter(.term(.state([state])))
            #expect(try filter.matches(Self.task, facts) == expected)
        }
    }

    @Test(
        "Q8 the states and the queue that a match may have are known",
        arguments: [
            ("state:parked", [.waiting], nil), ("state:failed", [.failed, .waiting], nil),
            ("state:stuck,deleted queue:q", [.running, .deleted], "q"),
            ("state:due state:running", [], nil), ("-state:due -queue:q", nil, nil),
            ("queue:q or queue:r", nil, nil), ("due<5s", [.waiting], nil),
            ("(state:parked queue:q) or (state:stuck queue:q)", [.waiting, .running], "q"),
        ] as [(String, Set<TaskState.Name>?, String?)])
    func bounds(_ text: String, _ states: Set<TaskState.Name>?, _ queue: String?) throws {
        let filter = try TaskFilter(text)
        #expect(filter.storedStates == states ?? Set(TaskState.Name.allCases))
        #expect(filter.queue == queue)
    }

    @Test("F2 what is asked of a row is so of every match, whatever the letters")
    func rowConditions() throws {
        let errors = [
            "No ROUTE to k", "naïve K", "\u{212A}elvin", "NAÏVE \u{212A}", "\u{130}x", "",
        ]
        let filters = [
            "error:route", "error:k", "error:naïve*k", "error:na*ve", "error:ï", "error:i",
            "error:no*k,elvin", "label:ROUTE or error:x",
        ]
        var matches = 0
        for text in filters {
            let filter = try TaskFilter(text)
            let condition = try #require(filter.rowCondition, "\(text)")
            for error in errors {
                var task = QueueTask(
                    id: 1, queue: "q", type: "t", position: 1,
                    createdAt: Timestamp(milliseconds: 0))
                task.lastError = error
                task.label = error
                let facts = KnownFacts(now: Timestamp(milliseconds: 0), display: .due)
                guard try filter.matches(task, facts) else { continue }
                matches += 1
                #expect(condition.holds(task, []), "\(text): \(error)")
            }
        }
        #expect(matches >= 10)
        #expect(try TaskFilter("error:*").rowCondition == nil)
        #expect(try TaskFilter("-error:x").rowCondition == nil)
    }
}
