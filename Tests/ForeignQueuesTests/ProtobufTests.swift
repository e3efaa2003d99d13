import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Messages as protobuf writes them.
enum Message {
    static func varint(_ number: UInt64) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] {
        varint(number << 3) + varint(value)
    }

    static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    static func field(_ number: UInt64, _ text: String) -> [UInt8] {
        field(number, Array(text.utf8))
    }
}

@Suite("protobuf without its schema")
struct ProtobufTests {
    private static let message =
        Message.field(1, "email:send") + Message.field(5, 25) + Message.field(3, "a")
        + Message.field(3, "ü") + Message.field(6, UInt64(bitPattern: -2))
        + [0x41, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F] + [0x4D, 0, 0, 0xC0, 0x3F]
        + Message.field(15, Message.field(1, "k") + Message.field(2, 7))
        + Message.field(16, [0xFF, 0xFE]) + Message.field(17, "")

    @Test("fields are told by their numbers, again and again as a list, messages in messages")
    func fields() {
        let value: JSONValue = [
            "1": "email:send", "5": 25, "3": ["a", "ü"], "6": .number("18446744073709551614"),
            "8": "<fixed64 0x3ff8000000000000>", "9": "<fixed32 0x3fc00000>",
            "15": ["1": "k", "2": 7], "16": "<2 bytes>", "17": "",
        ]
        #expect(ProtobufReader.value(Self.message) == value)
    }

    @Test("what is cut off or no message is nothing, and nothing takes long")
    func hostile() {
        #expect(ProtobufReader.value([]) == nil)
        let whole = (0...Self.message.count).filter { count in
            ProtobufReader.value(Array(Self.message.prefix(count))) != nil
        }
        // Only where a field ends.
        #expect(whole.count == 10 && whole.last == Self.message.count)
        let bad: [[UInt8]] = [
            [0x00], [0x07, 1], [0x08], [0x0A, 0x05, 1], [0x0B, 0x0C], [0x0E],
            // A length and a number of more than 64 bits, a field of a number that is too large.
            [0x0A] + Array(repeating: 0xFF, count: 9) + [0x01],
            [0x08] + Array(repeating: 0xFF, count: 9) + [0x02],
            Message.varint(UInt64(1) << 33) + [1],
        ]
        for bytes in bad { #expect(ProtobufReader.value(bytes) == nil, "\(bytes)") }
        // Deeper, and more, than a person could read: bytes then, or nothing.
        var deep = Message.field(1, 0)
        for _ in 0..<300 { deep = Message.field(1, deep) }
        #expect(ProtobufReader.value(deep) != nil)
        let many = Array(repeating: Message.field(1, 0), count: 20_001).flatMap { $0 }
        #expect(ProtobufReader.value(many) == nil)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = ProtobufReader.value(bytes)
        }
    }

    @Test("a body of Celery in protobuf is shown and not edited")
    func celery() throws {
        let body = Base64.encode(Self.message)
        let bytes = Array(
            """
            {"body":"\(body)","content-type":"application/x-protobuf","headers":{"id":"a",
            "task":"t"},"properties":{"body_encoding":"base64"}}
            """.utf8)
        let payload = try #require(CeleryMessage(bytes)).payload
        #expect(payload.value?["1"]?.string == "email:send")
        #expect(payload.whyFixed == "its body is application/x-protobuf, not JSON")
    }
}
