import SluiceModel
import Testing

@testable import SluiceForeignQueues

/// Bytes that Python wrote.
enum Packed {
    static func hex(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }

    static let call = hex(
        "8004953d00000000000000288c097461736b732e72756e944e284b018c02c3a99447400400000000"
            + "00005d9428884e6574947d948c0161947d948c0162944afdffffff737374942e")
    static let oldest = hex(
        "28567461736b732e72756e0a70300a4e2849310a56780a70310a7470320a286470330a566b0a7034"
            + "0a286c70350a49310a6149320a61737470360a2e")
    static let second = hex(
        "80027d71002858010000006171018a0d00000040eaed7446d09c2c9f0c5801000000627102635f63"
            + "6f646563730a656e636f64650a710358020000007879710458060000006c6174696e317105867106"
            + "5271075801000000637108284b014b024b034b04747109752e")
    static let fifth = hex(
        "80059518000000000000005d94284b014b014b017d948c0173948f94284b019073652e")
    static let object = hex(
        "80049524000000000000008c086461746574696d65948c0974696d6564656c74619493944b004b05"
            + "4b00879452942e")
    static let evil = hex(
        "8004952b000000000000008c05706f736978948c0673797374656d9493948c10746f756368202f74"
            + "6d702f70776e656494859452942e")
    static let cycle = hex(
        "80049506000000000000005d946800612e")
    static let zlib = hex(
        "789ccb48cdc9c957c81864240050093715")
    static let gzip = hex(
        "1f8b08000000000002034b4c4a4e1c45c4210084b8c4d02c010000")
    static let dynamic = hex(
        "789c2591cb11c04008425bb1353fa8d87f016127b78c66111e7981d85d9b8af599f3455db4bb1b7d"
            + "acc659bbac2eab850f2dd2104d7d1570cbf7a6662c9bd6b1c6484eafafe3ee344f961759c3be5e18"
            + "4f32f906be7d2ccef6b493a7f57959f23208b788a75288cb466482ba6dd8de0dc7f46805d68d974f"
            + "7a2e6d58c62d9acc5f9b8d23cb1101e41cd2e957b7794a571d7536571b36e07adfc0b35ae7246d21"
            + "c7126385ebb8624076d1dd815f429c2626b34341435144b3a1f942fefccc63c24b063336ad326608"
            + "2a40943dc65062c588e8db27cab5c63b54f2a662c2ceba64aab30f9a89d14589e728b8f098433044"
            + "4b2b91cec7898a5949a5315642ac5d5585edbbbd8a399d585770d73f79e28a914509af2755e39ac9"
            + "c09a7a6d9e90974bbe9f31809d7ba1b47a22f552fd36d6af5267889a9aba0f65f3e0f4")
}

@Suite("payloads of other systems")
struct PayloadTests {
    private func text(_ bytes: [UInt8]) -> (json: String, isPlain: Bool)? {
        guard let value = PickleReader.value(bytes) else { return nil }
        var text = PickleText()
        let json = text.json(value).text
        return (json, text.isPlain)
    }

    @Test("a pickle of any protocol is read as data")
    func pickles() {
        #expect(
            text(Packed.call)?.json == #"["tasks.run",null,[1,"é",2.5,[true,null]],{"a":{"b":-3}}]"#
        )
        #expect(text(Packed.oldest)?.json == #"["tasks.run",null,[1,"x"],{"k":[1,2]}]"#)
        #expect(text(Packed.fifth)?.json == #"[1,1,1,{"s":[1]}]"#)
        #expect(
            text(Packed.second)?.json.hasPrefix(#"{"a":"0x0c9f2c9cd04674edea40000000","b":"#)
                == true)
        #expect(text(Packed.second)?.isPlain == false)
    }

    @Test("what a pickle would import and call stays text, and a circle ends")
    func hostilePickles() {
        #expect(
            text(Packed.evil)?.json
                == #"{"call":"<posix.system>","arguments":["touch /tmp/pwned"]}"#)
        #expect(
            text(Packed.object)?.json
                == #"{"call":"<datetime.timedelta>","arguments":[0,5,0]}"#)
        let circle = text(Packed.cycle)
        #expect(circle?.isPlain == false)
        #expect((circle?.json.utf8.count ?? 1000) < 500)
    }

    @Test("bytes that are no pickle, or cut off, are nothing", arguments: 0..<400)
    func noise(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        var bytes = [Packed.call, Packed.evil, Packed.second, Packed.fifth][seed % 4]
        for _ in 0..<(1 + next() % 6) { bytes[next() % bytes.count] = UInt8(next() % 256) }
        // Ends in a value or in nothing.
        if let found = text(bytes) { #expect(found.json.utf8.count < 1 << 20) }
        #expect(PickleReader.value(Array(Packed.call.dropLast(3))) == nil)
        _ = Zlib.content(bytes)
        var packed = Packed.dynamic
        packed[next() % packed.count] ^= UInt8(1 + next() % 255)
        #expect(Zlib.content(packed)?.count ?? 0 <= 600 * 300)
    }

    @Test("lists that double themselves do not fill the memory")
    func doubling() {
        // A list that the memo appends twice to itself, forty times.
        var bytes: [UInt8] = [0x80, 2, UInt8(ascii: "]"), UInt8(ascii: "q"), 0]
        for index in 0..<40 {
            bytes += [UInt8(ascii: "]"), UInt8(ascii: "q"), UInt8(index + 1), UInt8(ascii: "(")]
            bytes += [UInt8(ascii: "h"), UInt8(index), UInt8(ascii: "h"), UInt8(index)]
            bytes += [UInt8(ascii: "e")]
        }
        let found = text(bytes + [UInt8(ascii: ".")])
        #expect(found?.isPlain == false)
        #expect((found?.json.utf8.count ?? .max) < 1 << 20)
    }

    @Test("zlib and gzip are unpacked, and no further than allowed")
    func inflate() {
        let words = String(repeating: "hello hello hello hello hello ", count: 5)
        #expect(Zlib.content(Packed.zlib) == Array(words.utf8))
        #expect(Zlib.content(Packed.gzip).map(\.count) == 300)
        #expect(Zlib.content(Packed.dynamic)?.count == 600)
        #expect(Zlib.content(Packed.dynamic, limitBytes: 599) == nil)
        #expect(Zlib.content(Array(Packed.zlib.dropLast())) == nil)
        #expect(Zlib.content(Array("{\"a\":1}".utf8)) == nil)
        let long = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(Zlib.content(Zlib.packed(long)) == long)
        #expect(Zlib.content(Zlib.packed([])) == [])
    }

    @Test("a plain call is edited without loss, one with objects is not")
    func edit() throws {
        let old = CallPayload.read(Packed.call, packedAs: " in zlib", bytes: [])
        #expect(old.whyFixed == nil)
        let value = try JSONValue.parse(
            #"{"function":"tasks.run","args":[7,{"b":[1.5]}],"kwargs":{}}"#)
        let written = try CallPayload.write(value, like: old)
        let content = try #require(Zlib.content(written))
        #expect(text(content)?.json == #"["tasks.run",null,[7,{"b":[1.5]}],{}]"#)
        #expect(CallPayload.read(content, packedAs: "", bytes: []).value == value)
        let fixed = CallPayload.read(Packed.evil, packedAs: "", bytes: [])
        #expect(throws: QueueError.self) { try CallPayload.write(value, like: fixed) }
        #expect(throws: QueueError.self) { try CallPayload.write(["args": []], like: old) }
    }

    @Test("msgpack is read as data, and what is cut off or no msgpack is nothing")
    func messagePack() {
        // {"t": null, "f": "run", "a": [1, -2, 300, 1.5, true], "k": {"x": b"\\xff"}}
        let bytes: [UInt8] =
            [0x84, 0xA1, 0x74, 0xC0, 0xA1, 0x66, 0xA3] + Array("run".utf8)
            + [0xA1, 0x61, 0x95, 0x01, 0xFE, 0xCD, 0x01, 0x2C, 0xCB, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]
            + [0xC3, 0xA1, 0x6B, 0x81, 0xA1, 0x78, 0xC4, 0x01, 0xFF]
        let value: JSONValue = [
            "t": .null, "f": "run", "a": [1, -2, 300, JSONValue(1.5), true],
            "k": ["x": "<1 bytes>"],
        ]
        #expect(MessagePackReader.value(bytes) == value)
        for count in 0..<bytes.count {
            #expect(MessagePackReader.value(Array(bytes.prefix(count))) == nil)
        }
        #expect(MessagePackReader.value(bytes + [0]) == nil)
        // More elements than there are bytes, and lists in lists.
        #expect(MessagePackReader.value([0xDD, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(MessagePackReader.value(Array(repeating: 0x91, count: 10_000)) == nil)
        let job = ARQJob(bytes)
        #expect(job.payload.format == "msgpack" && job.payload.whyFixed != nil)
        #expect(job.task("x", in: "mail", .due).type == "run")
    }
}
