import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("Words that are no text")
struct BytesTests {
    static let bytes: [UInt8] = [0x61, 0xFF, 0x00, 0xC3, 0x0A, 0x80].filter { $0 != 0 }

    private func words(_ line: String, _ last: [UInt8]) -> [Word] {
        line.split(separator: " ").map { Word(String($0)) } + [Word(last)]
    }

    @Test("T1 a payload keeps every byte of its word, also behind its option")
    func payload() throws {
        let bench = Bench()
        #expect(bench.run(words("enqueue q t", Self.bytes)).exit == .done)
        #expect(bench.run(words("enqueue q t", [])).exit == .done)
        #expect(bench.run(words("edit 2 --payload", Self.bytes)).exit == .done)
        #expect(bench("enqueue q t").exit == .done)
        let joined = Array("--payload=".utf8) + Self.bytes
        #expect(bench.run(words("edit 3", joined)).exit == .done)
        for id in 1...3 as ClosedRange<TaskID> {
            let kept = try bench.store.readBlocking { try $0.payload(of: id) }
            #expect(kept == Self.bytes, "\(id)")
        }
    }

    @Test("S1 a client string keeps every byte of its word")
    func clientString() throws {
        let bench = Bench()
        let line = words("enqueue q t --session s --client-string", Self.bytes)
        #expect(bench.run(line).exit == .done)
        let kept = try bench.store.readBlocking { try $0.requireTask(1).clientString }
        #expect(kept == ClientString(bytes: Self.bytes))
    }

    static let refused = [
        "enqueue", "enqueue q", "enqueue q t --label", "enqueue q t --group",
        "enqueue q t --unique",
        "enqueue q t --session", "enqueue q t --payload-file", "pause", "queue set",
        "list --filter",
        "queues --store", "queues --by", "show", "import", "export", "init", "",
    ]

    @Test("T6 a name, a path or any other text that is not UTF-8 is refused, and nothing is made")
    func names() throws {
        let bench = Bench()
        for line in Self.refused {
            var said: Set<String> = []
            for bytes in [[0x61, 0xFF], [0x61, 0xFE]] as [[UInt8]] {
                let outcome = bench.run(words(line, bytes))
                #expect(outcome.exit == .usage, "\(line): \(outcome)")
                said.insert(outcome.errors)
            }
            #expect(said.count == 2, "two words are told apart: \(said)")
            #expect(said.allSatisfy { $0.contains("\\xF") }, "\(said)")
        }
        #expect(try bench.store.readBlocking { try $0.queues() } == [])
    }
}

@Suite("Numbers that are too large")
struct TooLargeTests {
    static let lines = [
        "enqueue q t --priority 9223372036854775808", "enqueue q t --attempts 2147483648",
        "list --limit 99999999999999999999", "pause q --for 99999999999d",
        "queue set q --concurrency 99999999999", "queue set q --max-payload 99999999GiB",
        "queue set q --batch-delay 99999999999999h", "undo 99999999999999999999",
        "log -n 4294967296", "enqueue q t --expires +99999999999d",
        "enqueue q t --not-before +99999999999d", "queue set q --retry fixed(99999999999h)",
        "queue set q --retry exponential(1s,99999999999999999999,1h)",
        "queue set q --names login=99999999999999999999",
        "list --filter attempts>99999999999999999999", "list --filter age>99999999999d",
        "list --filter size>99999999GiB", "list --filter id:99999999999999999999",
    ]

    @Test("T6 a number that is too large is refused with that word", arguments: lines)
    func refused(_ line: String) {
        let outcome = Bench()(line)
        #expect(outcome.exit == .usage && outcome.errors.contains(" is too large"), "\(outcome)")
    }

    static let small = [
        "enqueue q t --priority -99999999999999999999",
        "enqueue q t --priority -9223372036854775809",
        "queue set q --priority -99999999999999999999",
        "queue set q --names login=-99999999999999999999",
        "list --filter priority>-99999999999999999999",
    ]

    @Test("T6 a number that is too small is refused with that word", arguments: small)
    func tooSmall(_ line: String) {
        let outcome = Bench()(line)
        #expect(outcome.exit == .usage && outcome.errors.contains(" is too small"), "\(outcome)")
    }

    @Test("T6 what is no number, or none that is wanted, is not called too large")
    func others() {
        for line in [
            "list --limit many", "list --limit 0", "pause q --for 5y", "pause q --for -5m",
            "queue set q --retry fixed(5y)", "queue set q --names a=5000000000,b",
            "list --filter id:5000000000..3", "list --filter attempts>many",
        ] {
            let errors = Bench()(line).errors
            #expect(!errors.isEmpty && !errors.contains("too large"), "\(errors)")
            #expect(!errors.contains("too small"), "\(errors)")
        }
    }
}
