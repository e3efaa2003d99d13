import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Bytes by their hexadecimal digits.
private func bytes(_ digits: String) -> [UInt8] {
    var left = digits[...]
    var found: [UInt8] = []
    while let byte = UInt8(left.prefix(2), radix: 16), left.count >= 2 {
        found.append(byte)
        left = left.dropFirst(2)
    }
    return found
}

/// Frames from RabbitMQ 3.10.8 for a message published by pika 1.4.4 with most properties: deliver,
/// header, body.
private let deliver = bytes(
    "01000100000039003c003c2663746167312e38373439326666313237313634656632383033343735336133"
        + "353231303862300000000000000001000003726563ce")
private let header = bytes(
    "020001000000a6003c0000000000000000000dffe8106170706c69636174696f6e2f6a736f6e057574662d38"
        + "0000005d047461736b530000000a7461736b732e73656e6402696453000000043866303907726574726965"
        + "7349000000010365746156036269676c0000010000000000046465657046000000140161410000000d4900"
        + "0000017401530000000178020304386630390172053630303030026d31000000006553f100017403617070"
        + "ce")
private let body = bytes("0300010000000d5b5b2261225d2c7b7d2c7b7d5dce")

@Suite("frames of AMQP 0-9-1")
struct AMQPTests {
    private static func frames(_ bytes: [UInt8], pieces: Int = .max) throws -> [AMQPFrame] {
        var frames = AMQPFrames()
        var found: [AMQPFrame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            frames.add(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while let frame = try frames.next() { found.append(frame) }
        }
        return found
    }

    private static func content() throws -> AMQPContent {
        let frames = try frames(header + body)
        return AMQPContent(
            properties: Array(frames[0].payload.dropFirst(12)), body: frames[1].payload)
    }

    @Test("a recorded delivery is read, in whatever pieces it comes, and written as it came")
    func recorded() throws {
        for pieces in [1, 7, Int.max] {
            let frames = try Self.frames(deliver + header + body, pieces: pieces)
            #expect(frames.map(\.kind) == [.method, .header, .body])
            #expect(frames.allSatisfy { $0.channel == 1 })
            var written: [UInt8] = []
            for frame in frames { frame.write(to: &written) }
            #expect(written == deliver + header + body)
        }
        var method = try AMQPMethod(try Self.frames(deliver)[0].payload)
        #expect(method.name == AMQPMethod.Name(60, 60))
        #expect(try method.arguments.short() == "ctag1.87492ff127164ef28034753a352108b0")
        #expect(try method.arguments.number(UInt64.self) == 1)
    }

    @Test("the properties of a recorded message are told by the names of the interface")
    func properties() throws {
        let read = try Self.content().read()
        #expect(read["content_type"] == "application/json" && read["delivery_mode"] == 2)
        #expect(read["priority"] == 3 && read["correlation_id"] == "8f09")
        #expect(read["expiration"] == "60000" && read["timestamp"] == 1_700_000_000)
        #expect(read["message_id"] == "m1" && read["app_id"] == "app")
        let headers = read["headers"]
        #expect(headers?["task"] == "tasks.send" && headers?["retries"] == 1)
        #expect(headers?["eta"] == .null && headers?["big"] == 1_099_511_627_776)
        #expect(headers?["deep"]?["a"] == [1, true, "x"])
    }

    @Test("a message lies aside without its time to live, and gets it back with all else")
    func expiration() throws {
        let content = try Self.content()
        let aside = try content.withoutExpiration()
        #expect(try aside.read()["expiration"] == nil)
        #expect(try aside.read()["headers"] == content.read()["headers"])
        #expect(try aside.withExpiration() == content)
        let plain = try AMQPContent(json: ["a": 1])
        #expect(try plain.withoutExpiration() == plain && plain.withExpiration() == plain)
    }

    @Test("a task has one id whichever way its message came")
    func identity() throws {
        let content = try Self.content()
        let shown = RabbitMessage(content, in: "mail")
        #expect(shown.id == "8f09" && shown.execution?["retries"] == 1)
        #expect(shown.task("8f09", in: "mail", .held).type == "tasks.send")
        let bare = AMQPContent(properties: [0, 0], body: Array("hi".utf8))
        let told: JSONValue = [
            "payload": "hi", "payload_encoding": "string", "properties": [],
        ]
        let other = try #require(RabbitMessage(told))
        #expect(RabbitMessage(bare, in: "mail").id == other.id && other.execution == nil)
    }

    @Test("tables are read as they were written")
    func tables() throws {
        let table: JSONObject = [
            "text": "x", "flag": true, "number": -3, "none": .null, "list": [1, "a"],
            "inner": ["a": [:]],
        ]
        var writer = AMQPWriter()
        try writer.table(table)
        var reader = AMQPReader(writer.bytes)
        #expect(try reader.table() == table)
        #expect(reader.left.isEmpty)
    }

    @Test("a peer that speaks no AMQP, or another one, says so")
    func strangers() {
        let page = #expect(throws: AMQPError.self) {
            try Self.frames(Array("HTTP/1.1 400 Bad Request\r\n".utf8))
        }
        #expect(page?.message.contains("speaks no AMQP") == true)
        let newer = #expect(throws: AMQPError.self) { try Self.frames(Array("AMQP\u{3}".utf8)) }
        #expect(newer?.message.contains("another version") == true)
    }

    @Test("lengths and depths that are wrong end in an error")
    func hostile() throws {
        let long: [UInt8] = [1, 0, 1, 0xff, 0xff, 0xff, 0xff]
        #expect(throws: AMQPError.self) { try Self.frames(long) }
        var open = header
        open[open.count - 1] = 0
        #expect(throws: AMQPError.self) { try Self.frames(open) }
        let content = try Self.content()
        for count in 0..<(content.properties.count - 1) {
            let cut = AMQPContent(properties: Array(content.properties.prefix(count)), body: [])
            #expect(throws: AMQPError.self) { try cut.read() }
            #expect(!RabbitMessage(cut, in: "mail").id.isEmpty)
        }
        var deep: [UInt8] = []
        for _ in 0..<100 {
            var writer = AMQPWriter()
            writer.raw([1, UInt8(ascii: "a"), UInt8(ascii: "F")])
            writer.long(deep)
            deep = writer.bytes
        }
        var writer = AMQPWriter()
        writer.long(deep)
        var reader = AMQPReader(writer.bytes)
        #expect(throws: AMQPError.self) { try reader.table() }
    }

    @Test("a port at which nothing listens is refused with what to do")
    func address() throws {
        let port = try RedisServer.freePort()
        let error = #expect(throws: AMQPError.self) {
            try AMQPConnection(try RabbitAddress("amqp://127.0.0.1:\(port)"))
        }
        let told = QueueError(try #require(error), "amqp://x")
        #expect(told.code == .serverGone && told.fix.contains("port of the address"))
    }
}
