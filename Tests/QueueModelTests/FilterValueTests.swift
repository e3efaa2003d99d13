import SluiceModel
import Testing

@Suite("What filters ask of a task")
struct FilterValueTests {
    private static let payload = Array(
        """
        {"user": {"id": 7, "name": "Ann"}, "items": [{"n": 1.5}, "x"], "a.b": null,
         "id": "7", "big": 9007199254740993, "list": [], "k\\u0065y": true, "id2": 1, "id2": 2}
        """.utf8)

    private static let task: QueueTask = {
        var task = QueueTask(
            id: 1234, queue: "q", type: "digest", position: 1, createdAt: at(-300),
            state: .failed(Failure(at: at(-10), reason: "expired", startPolicy: nil)))
        task.updatedAt = at(-10)
        task.label = "Urgent, really"
        task.lastError = "Connection REFUSED\n(errno 111)"
        task.attempts = 3
        task.executions = 4
        task.priority = -2
        task.uniqueKey = "u*1"
        task.clientString = "Order №5"
        return task
    }()

    private static let attempt: AttemptRecord = {
        var attempt = AttemptRecord(task: task, number: 4, runner: 31, startedAt: at(-20))
        attempt.endedAt = at(-18)
        return attempt
    }()

    private func matches(_ text: String, _ task: QueueTask = Self.task) throws -> Bool {
        let facts = KnownFacts(
            now: at(0), display: .failed, payload: Self.payload, lastAttempt: Self.attempt)
        return try TaskFilter(text).matches(task, facts)
    }

    @Test(
        "F bare words are letters of any case in what a person reads of a task",
        arguments: [
            "ann", "ANN", "\"\\\"id\\\": 7\"", "digest", "urgent", "refused", "EXPIRED", "order",
            "№5", "error:refused", "error:conn*111", "label:URGENT", "label:\"urgent, r\"",
            "error:nothing,refused", "text:Ann -text:ann", "timeout or refused",
        ])
    func letters(_ text: String) throws { #expect(try matches(text)) }

    @Test(
        "F names match exactly, with * any letters",
        arguments: [
            ("type:digest", true), ("type:Digest", false), ("type:dig*", true), ("type:*st", true),
            ("type:d*g*t", true), ("type:d*x*t", false), ("type:\"dig*\"", false),
            ("unique:u*", true), ("unique:\"u*1\"", true), ("unique:\"u*\"", false),
            ("session:*", false), ("-session:*", true), ("label:*", true), ("runner:31", true),
            ("twin:", false), ("-twin:*", true), ("(twin:)", false),
            ("runner:3", false), ("id:12*", true), ("id:12*,7", true), ("id:13*,7", false),
            ("type:x,digest", true), ("group:*", false),
        ])
    func names(_ text: String, _ isMatch: Bool) throws { #expect(try matches(text) == isMatch) }

    @Test(
        "F numbers, times and sizes compare; what a task does not have does not hold",
        arguments: [
            ("attempts>=3", true), ("attempts!=3", false), ("attempts<3", false),
            ("priority<0", true), ("priority=-2", true), ("age>5m", false), ("age>=5m", true),
            ("age<301s", true), ("changed<10s", false), ("changed<=10s", true),
            ("duration>=2s", true), ("duration>2s", false), ("size>16B", true),
            ("size>1KiB", false), ("due<30s", false), ("due>=0s", false), ("-due>=0s", true),
        ])
    func measures(_ text: String, _ isMatch: Bool) throws {
        #expect(try matches(text) == isMatch)
    }

    @Test("F due is the time to a waiting task's moment, 0 where it has come")
    func due() throws {
        var task = QueueTask(id: 1, queue: "q", type: "t", position: 1, createdAt: at(-9))
        #expect(try matches("due=0s", task) && matches("-duration>0s", task))
        var waiting = Waiting(timer: WaitTimer(until: at(30), cause: .retry, since: at(0)))
        task.state = .waiting(waiting)
        #expect(try matches("due=30s", task) && !matches("due<30s", task))
        waiting.skip = Skip(by: "ann", since: at(0), until: at(60), endsWithRun: false)
        task.state = .waiting(waiting)
        #expect(try matches("due=1m", task))
        waiting.parking = Parking(cause: .handler, detail: "", since: at(0))
        task.state = .waiting(waiting)
        #expect(try !matches("due>=0s", task))
    }

    @Test(
        "F a value in a JSON payload is compared, matched, or there at all",
        arguments: [
            ("payload.user.id=7", true), ("payload.id=7", true), ("payload.user.id=7.0", true),
            ("payload.user.id=70e-1", true), ("payload.id=7.0", false),
            ("payload.user.id=8", false),
            ("payload.user.id!=8", true), ("payload.none!=8", false), ("payload.none", false),
            ("payload.user", true), ("payload.user={}", false), ("payload.list", true),
            ("payload.items[0].n=1.5", true), ("payload.items[0].n<2", true),
            ("payload.items[1]=x", true), ("payload.items[2]", false), ("payload.user[0]", false),
            ("payload.items.n", false), ("payload.\"a.b\"", true), ("payload.\"a.b\"=null", true),
            ("payload.id<8", false), ("payload.user.id<8", true), ("payload.user.name~^A", true),
            ("payload.user.name~^a", false), ("payload.user.name=ann", false),
            ("payload.big=9007199254740993", true), ("payload.big=9007199254740992", false),
            ("payload.key=true", true), ("payload.id2=2", true), ("payload.id2=1", false),
            ("payload.user.name=\"Ann\"", true), ("payload.user~.", false),
        ])
    func payload(_ text: String, _ isMatch: Bool) throws {
        #expect(try matches(text) == isMatch)
    }

    @Test(
        "F what is not JSON has no values",
        arguments: ["", "{", "kim", "{\"a\" 1}", "{\"a\":1", "["])
    func broken(_ payload: String) {
        let bytes = Array(payload.utf8)
        let path = PayloadPath([.key("a")])
        #expect(!PayloadCheck.exists.holds(at: path, in: bytes))
        #expect(!PayloadCheck.exists.holds(at: PayloadPath([.index(0)]), in: bytes))
    }

    @Test(
        "F not binds before and, and before or",
        arguments: [
            ("type:x or type:digest priority<0", true), ("type:x type:digest or priority<0", true),
            ("(type:x or type:digest) priority>0", false), ("not type:x and label:*", true),
            ("-(type:digest or type:x)", false), ("not (type:x or type:y)", true),
            ("!type:digest or not priority>0", true), ("type:x or (type:y or -type:z)", true),
        ])
    func precedence(_ text: String, _ isMatch: Bool) throws {
        #expect(try matches(text) == isMatch)
    }

    /// Facts that fail on every read.
    private struct NoFacts: FilterFacts {
        struct Asked: Error {}
        var now: Timestamp { at(0) }
        func display() throws -> Display { throw Asked() }
        func payload() throws -> [UInt8] { throw Asked() }
        func lastAttempt() throws -> AttemptRecord? { throw Asked() }
        func uuid() throws -> String? { throw Asked() }
        func twins() throws -> [TaskID] { throw Asked() }
    }

    @Test(
        "F what a filter does not need to know is not read",
        arguments: [
            "digest", "payload.a=1 type:x", "text:x type:x", "runner:1 type:x", "state:due type:x",
            "twin: type:x",
            "type:digest or payload.a", "duration>1s or size>1B or id:1234", "age>1s changed>1s",
        ])
    func frugal(_ text: String) throws {
        _ = try TaskFilter(text).matches(Self.task, NoFacts())
    }
}
