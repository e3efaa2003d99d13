import SluiceSystem
import SluiceTestSupport

@testable import SluiceForeignQueues

/// A management interface with the answers of RabbitMQ 3.10.8.
struct RabbitBench: @unchecked Sendable {
    let bodies: Protected<[String]>
    let server: ScriptedServer

    init(_ more: [String: (status: Int, body: String)] = [:]) throws {
        var first: [String: (status: Int, body: String)] = [
            "/api/overview": (200, #"{"rabbitmq_version":"3.10.8"}"#),
            "/api/queues/%2F": (200, Self.queues),
            "/api/consumers/%2F": (200, "[]"),
            "/api/queues/%2F/celery/get": (200, Self.celery),
            "/api/queues/%2F/mail/get": (200, Self.mail),
            "/api/queues/%2F/dead/get": (200, Self.dead),
        ]
        for (path, answer) in more { first[path] = answer }
        let answers = Protected(first)
        let bodies = Protected<[String]>([])
        self.bodies = bodies
        server = try ScriptedServer { talk in
            let body = String(decoding: try talk.body(), as: UTF8.self)
            bodies.withLock { $0.append(body) }
            let path = String(talk.request.path.prefix { $0 != "?" })
            let found = answers.withLock { $0[path] }
            let missing = #"{"error":"not_found","reason":"NOT_FOUND"}"#
            try talk.answer(
                found?.status ?? 404, ["Content-Type: application/json"], found?.body ?? missing)
        }
    }

    func open(_ path: String = "", port: UInt16 = 5672) throws -> ForeignStore {
        try ForeignStore.open(
            "amqp://kim:secret@127.0.0.1:\(port)\(path)?management=\(server.port)", as: nil,
            keepers: KeeperLauncher { _, _ in })
    }

    func gets(of queue: String) -> Int {
        server.requests.filter { $0.path == "/api/queues/%2F/\(queue)/get" }.count
    }

    private static let queues = """
        [{"arguments":{},"consumers":1,"effective_policy_definition":{},"messages_ready":3,\
        "messages_unacknowledged":2,"name":"celery","state":"running","type":"classic"},\
        {"arguments":{},"messages_ready":1,"name":"dead","state":"running","type":"classic"},\
        {"arguments":{},"messages_ready":3,"name":"mail","state":"running","type":"classic"},\
        {"arguments":{"x-delivery-limit":3,"x-queue-type":"quorum"},"name":"limited",\
        "messages_ready":1,"type":"quorum"}]
        """
    private static let celery = #"""
        [{"payload_bytes":9,"redelivered":false,"exchange":"","routing_key":"celery",\#
        "message_count":2,"properties":{"priority":0,"headers":{\#
        "argsrepr":"('user0@example.org',)","eta":"undefined","expires":"undefined",\#
        "id":"8f098d9c-9a37-4b9a-bea4-374c96174266","kwargsrepr":"{'subject': 'Hi'}",\#
        "retries":1,"task":"tasks.send"},"content_encoding":"utf-8",\#
        "content_type":"application/json"},"payload":"[[\"user0@example.org\"], \#
        {\"subject\": \"Hi\"}, {\"callbacks\": null}]","payload_encoding":"string"}]
        """#
    private static let mail = #"""
        [{"payload_bytes":8,"redelivered":false,"exchange":"","routing_key":"mail",\#
        "message_count":2,"properties":{"type":"mail.send","timestamp":1700000000,\#
        "message_id":"m1","priority":2},"payload":"{\"n\": 0}","payload_encoding":"string"},\#
        {"payload_bytes":5,"exchange":"","routing_key":"mail","message_count":1,\#
        "properties":[],"payload":"/wBiaW4=","payload_encoding":"base64"},\#
        {"payload_bytes":5,"exchange":"","routing_key":"mail","message_count":0,\#
        "properties":[],"payload":"/wBiaW4=","payload_encoding":"base64"}]
        """#
    private static let dead = #"""
        [{"payload_bytes":70000,"exchange":"","routing_key":"mail","message_count":0,\#
        "properties":{"headers":{"x-death":[{"count":2,"exchange":"","queue":"main",\#
        "reason":"rejected","routing-keys":["main"],"time":1795851644}]}},\#
        "payload":"{\"bad\":","payload_encoding":"string"}]
        """#
}
