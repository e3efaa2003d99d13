import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("how queues of RabbitMQ are held")
struct RabbitFormTests {
    /// Some key of few words that both patterns match, found by trying all.
    private static func overlap(_ left: String, _ right: String) -> Bool {
        func match(_ pattern: ArraySlice<Substring>, _ key: ArraySlice<String>) -> Bool {
            guard let word = pattern.first else { return key.isEmpty }
            if word == "#" {
                return match(pattern.dropFirst(), key)
                    || !key.isEmpty && match(pattern, key.dropFirst())
            }
            guard let first = key.first, word == "*" || word == first else { return false }
            return match(pattern.dropFirst(), key.dropFirst())
        }
        var keys: [[String]] = [[]]
        for count in 0..<6 {
            keys += keys.filter { $0.count == count }.flatMap { [$0 + ["a"], $0 + ["b"]] }
        }
        let patterns = [left, right].map { $0.split(separator: ".")[...] }
        return keys.contains { key in patterns.allSatisfy { match($0, key[...]) } }
    }

    @Test("two patterns of a topic exchange meet when some key matches both")
    func topics() {
        let words = ["a", "b", "*", "#"]
        let patterns =
            words
            + words.flatMap { one in words.map { "\(one).\($0)" } }
            + words.flatMap { one in words.flatMap { two in words.map { "\(one).\(two).\($0)" } } }
        var met = 0
        for left in patterns {
            for right in patterns {
                let expected = Self.overlap(left, right)
                #expect(RabbitTopic.overlap(left, right) == expected, "\(left) \(right)")
                met += expected ? 1 : 0
            }
        }
        #expect(met > 1000 && met < patterns.count * patterns.count)
    }

    @Test("queues of dead letters are those that lead no further, and working queues are none")
    func deadLetters() throws {
        func queue(_ name: String, to exchange: String? = nil, by key: String? = nil) -> JSONValue {
            var arguments = JSONObject()
            if let exchange { arguments["x-dead-letter-exchange"] = .string(exchange) }
            if let key { arguments["x-dead-letter-routing-key"] = .string(key) }
            return ["name": .string(name), "arguments": .object(arguments)]
        }
        func dead(
            _ all: [JSONValue], _ bound: [String: [RabbitDeadLetters.Target]] = [:]
        ) throws -> Set<String> {
            try RabbitDeadLetters.queues(of: all) { bound[$0] ?? [] }
        }
        #expect(try dead([queue("mail"), queue("other")]).isEmpty)
        let plain = [queue("mail", to: "", by: "mail.XQ"), queue("mail.XQ")]
        #expect(try dead(plain) == ["mail.XQ"])
        // Without a key a dead letter goes back by its own.
        #expect(try dead([queue("mail", to: ""), queue("other")]).isEmpty)
        // A retry: the tasks come back after their time.
        let retry = [queue("mail", to: "", by: "wait"), queue("wait", to: "", by: "mail")]
        #expect(try dead(retry).isEmpty)
        let bound: [String: [RabbitDeadLetters.Target]] = ["dlx": [("dead", "#"), ("lost", "x")]]
        #expect(try dead([queue("mail", to: "dlx")], bound) == ["dead", "lost"])
        #expect(try dead([queue("mail", to: "dlx", by: "x")], bound) == ["lost"])
        // A policy for all queues gives one to the queue of dead letters too.
        let policy: JSONValue = ["dead-letter-exchange": "dlx", "dead-letter-routing-key": "#"]
        let ruled = ["mail", "dead"].map { name -> JSONValue in
            ["name": .string(name), "effective_policy_definition": policy]
        }
        #expect(try dead(ruled, bound) == ["dead"])
        // The exchange of the tasks themselves.
        let shared: [String: [RabbitDeadLetters.Target]] = [
            "orders": [("mail", "order.*"), ("bills", "order.*"), ("failed", "dead")]
        ]
        #expect(try dead([queue("mail", to: "orders")], shared).isEmpty)
        #expect(try dead([queue("mail", to: "orders", by: "dead")], shared) == ["failed"])
    }

    @Test("a worker of Celery between two queues serves any; who reads events alone is no worker")
    func control() throws {
        let consumers = [
            ("a", "celeryev.1"), ("a", "w1@web.celery.pidbox"), ("b", "celeryev.2"),
            ("b", "1a.reply.celery.pidbox"), ("c", "w2@web.celery.pidbox"),
            ("c", "sluice-step.mail"),
        ].map {
            #"{"consumer_tag":"t","queue":{"name":"\#($0.1)"},"#
                + #""channel_details":{"connection_name":"\#($0.0)"}}"#
        }
        let bench = try RabbitBench([
            "/api/consumers/%2F": (200, "[\(consumers.joined(separator: ","))]")
        ])
        defer { withExtendedLifetime(bench) {} }
        let runners = try bench.open().systems[0].runners()
        #expect(runners.map(\.name) == ["a", "c"])
        #expect(runners.map(\.queues) == [[], ["mail"]])
    }

    @Test("the form of a hold is read as its arguments were written")
    func arguments() throws {
        let listed: JSONValue = [
            "source": "orders", "routing_key": "order.*", "arguments": ["x-match": "all", "n": 3],
        ]
        let binding = try #require(RabbitBinding(listed: listed))
        #expect(RabbitBinding(listed: ["source": "", "routing_key": "mail"]) == nil)
        for form in [RabbitForm.celery, .consumers(sealed: []), .consumers(sealed: [binding])] {
            let told: JSONValue = ["arguments": .object(form.arguments)]
            #expect(RabbitForm(held: told) == form)
        }
        #expect(RabbitForm(held: nil) == .celery)
    }

    @Test("a hold by bindings asks once for the policies of all exchanges, and says what is wrong")
    func sealed() throws {
        let bindings = ["a", "b", "c"].map { #"{\"exchange\":\"\#($0)\",\"key\":\"\"}"# }
        func held(_ name: String) -> String {
            """
            {"arguments":{"sluice-by":"ann","sluice-since":1,"sluice-form":"consumers",\
            "sluice-bindings":"[\(bindings.joined(separator: ","))]"},"name":"sluice.held.\(name)"}
            """
        }
        func exchanges(_ last: String) -> String {
            let policies = ["a": "sluice.alt.a", "b": "sluice.alt.b", "c": last]
            return "["
                + policies.map { #"{"name":"\#($0)","policy":"\#($1)"}"# }
                .joined(separator: ",") + "]"
        }
        func holds(_ last: String) throws -> (holds: [ForeignHold?], asked: Int) {
            let peer = try AMQPPeer()
            let queues = #"[{"name":"mail"},{"name":"sms"},\#(held("mail")),\#(held("sms"))]"#
            let bench = try RabbitBench([
                "/api/queues/%2F": (200, queues), "/api/exchanges/%2F": (200, exchanges(last)),
            ])
            defer { withExtendedLifetime((peer, bench)) {} }
            let found = try bench.open(port: peer.port).queues().map(\.hold)
            let asked = bench.server.requests.count { $0.path.hasPrefix("/api/exchanges/") }
            return (found, asked)
        }
        let right = try holds("sluice.alt.c")
        #expect(right.holds.map { $0?.leak } == [nil, nil] && right.asked == 1)
        #expect(right.holds.map { $0?.recipe } == ["bindings", "bindings"])
        let wrong = try holds("other")
        #expect(wrong.asked == 1)
        #expect(
            wrong.holds[0]?.leak?.hasPrefix("the policy other is set for the exchange c") == true)
        #expect(wrong.holds[0]?.mend == "resume it, then pause it again")
    }

    @Test("a held queue that was deleted offers no pause, which would be refused")
    func orphan() throws {
        let peer = try AMQPPeer()
        let queues = """
            [{"arguments":{"sluice-by":"ann","sluice-since":1},"name":"sluice.held.mail"}]
            """
        let bench = try RabbitBench(["/api/queues/%2F": (200, queues)])
        defer { withExtendedLifetime((peer, bench)) {} }
        let hold = try bench.open(port: peer.port).queues().first?.hold
        #expect(hold?.leak == "mail is deleted; its held tasks are kept")
        #expect(hold?.mend == "make it again as its app does, then resume it")
    }

    @Test("a header and the priority change alone, and all else stays as it came")
    func content() throws {
        var headers = AMQPWriter()
        try headers.table(["id": "8f09", "argsrepr": "(1,)", "n": 5, "deep": ["a": [1, .null]]])
        var writer = AMQPWriter()
        writer.number(UInt16(0b0011_0000_0000_0000))
        writer.raw(headers.bytes)
        writer.number(UInt8(2))
        let content = AMQPContent(properties: writer.bytes, body: [1])
        let edited = try content.with(headers: [("argsrepr", "(22,)"), ("none", "x")])
        var expected = try content.read()
        var told = try #require(expected["headers"]?.object)
        told["argsrepr"] = "(22,)"
        expected["headers"] = .object(told)
        #expect(try edited.read() == expected)
        #expect(try edited.with(headers: [("argsrepr", "(1,)")]) == content)
        let raised = try content.with(priority: 7)
        #expect(try raised.read()["priority"] == 7)
        #expect(try raised.read()["headers"] == content.read()["headers"])
        let bare = AMQPContent(properties: [0, 0], body: [])
        #expect(try bare.with(headers: [("a", "b")]) == bare)
    }

    @Test("an edited message keeps its client's form, and one that is no JSON is refused")
    func edit() throws {
        let json = try AMQPContent(json: ["n": 1])
        let edited = try RabbitMessage.edited(json, in: "mail", ["n": 2])
        #expect(edited.body == Array(#"{"n":2}"#.utf8) && edited.properties == json.properties)
        let dramatiq = AMQPContent(
            properties: [0, 0],
            body: Array(
                (#"{"queue_name":"mail","actor_name":"run","args":[1],"kwargs":{},"options":{},"#
                    + #""message_id":"d-1","message_timestamp":1700000000000}"#).utf8))
        let shown = RabbitMessage(dramatiq, in: "mail")
        #expect(shown.id == "d-1" && shown.task("d-1", in: "mail", .held).type == "run")
        let call: JSONValue = ["args": [2], "kwargs": ["to": "kim"]]
        let other = RabbitMessage(
            try RabbitMessage.edited(dramatiq, in: "mail", call), in: "mail")
        #expect(other.id == "d-1" && other.payload.value == call)
        let bytes = AMQPContent(properties: [0, 0], body: [0xFF, 0])
        let error = #expect(throws: QueueError.self) {
            try RabbitMessage.edited(bytes, in: "mail", 1)
        }
        #expect(error?.message.contains("its body is bytes, not JSON") == true)
    }
}
