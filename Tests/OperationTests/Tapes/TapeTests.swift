import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceTapes

/// The content of a recording, compared with the store (G6).
@Suite("tapes")
struct TapeTests {
    /// A recorder at a bench, its file in the bench's folder.
    private func record(
        _ bench: Bench, _ change: (inout TapeRecorder.Request) -> Void = { _ in }
    ) throws -> (recorder: TapeRecorder, path: String) {
        let path = "\(bench.folder)/t.tape"
        var request = TapeRecorder.Request(path: path)
        change(&request)
        return (
            try TapeRecorder(bench.store, request, person: "dana", now: { bench.now }), path
        )
    }

    /// A store without the parts that tapes omit.
    static func told(_ store: any QueueStore) throws -> Dump {
        var dump = try store.readBlocking { try Dump($0) }
        dump.store.recording = nil
        dump.journal = dump.journal.map { entry in
            guard case .event(var event) = entry else { return entry }
            (event.undo, event.hasLostImages, event.script) = (nil, false, nil)
            return .event(event)
        }
        return dump
    }

    private static let worlds: [Case<Range<Int>>] =
        [Case(engine: .memory, value: 0..<12), Case(engine: .sqlite, value: 12..<20)]
        + Engine.all.dropFirst(2).map { Case(engine: $0, value: 20..<22) }

    @Test(
        "G6 a tape opened at each of its events is the store as it was after that commit",
        arguments: worlds)
    func same(_ test: Case<Range<Int>>) throws {
        for seed in test.value {
            let bench = try Bench(test.engine, membersAtOnce: seed % 2 == 0 ? 1 : 1000)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<20 { try operation.next() }
            let (recorder, path) = try record(bench)
            try recorder.writeBeginning()
            var dumps = [0: try Self.told(bench.store)]
            for _ in 0..<50 {
                try operation.next()
                #expect(try recorder.move() == nil)
                dumps[recorder.events] = try Self.told(bench.store)
            }
            let report = try recorder.end(nil)
            #expect(report.loss == nil && report.events > 10)
            let tape = try TapeFile(path)
            #expect(tape.count == report.events && tape.remark == nil)
            let player = try TapePlayer(tape)
            // There, back again, and anywhere.
            var random = SeededRandom(seed: seed)
            let events = dumps.keys.sorted()
            let visits = events + events.reversed() + (0..<40).map { _ in random.pick(events) }
            for event in visits {
                let view = try player.view(at: event)
                let found = try Self.told(view.store)
                let wrong = dumps[event]?.differences(from: found) ?? ["none"]
                #expect(wrong == [], "seed \(seed), event \(event) of \(tape.count)")
                guard wrong == [], view.event == event else { return }
            }
            try Self.expectNoTrace(bench)
        }
    }

    private static func expectNoTrace(_ bench: Bench) throws {
        let (recording, left, commands) = try bench.read { reader in
            (
                try reader.storeRecord().recording, try reader.recorded(limit: 10),
                try reader.processes().filter { $0.role == .command }
            )
        }
        #expect(recording == nil && left == [] && commands == [])
    }

    @Test("G6 a body that fails leaves nothing on the tape", arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        #expect(throws: QueueError.self) {
            try bench.act { mutation in
                _ = try mutation.enqueue([request()], to: "q")
                throw QueueError(.notLegal, "no")
            }
        }
        try bench.enqueue(1)
        #expect(try recorder.end(nil).events == 1)
        let tape = try TapeFile(path)
        let came = try tape.event(1).changes.filter {
            if case .inserted = $0 { true } else { false }
        }
        #expect(came.count == 1)
    }

    @Test(
        "G6 a recorder that is away for 10 s ends the recording, and the tape says so",
        arguments: Engine.all)
    func away(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        try bench.enqueue(1)
        #expect(try recorder.move() == nil)
        // With no pending change the recorder does not time out.
        bench.pass(60_000)
        try bench.enqueue(1)
        bench.pass(9000)
        try bench.enqueue(1)
        #expect(try recorder.move() == nil && recorder.events == 3)
        try bench.enqueue(1)
        bench.pass(10_001)
        try bench.enqueue(1)
        #expect(try bench.read { try $0.storeRecord().recording } == nil)
        let loss = try #require(try recorder.move())
        #expect(loss.contains("away for more than 10 s"))
        #expect(try recorder.end(loss).events == 3)
        let tape = try TapeFile(path)
        #expect(tape.ending?.reason == loss && tape.count == 3)
        try Self.expectNoTrace(bench)
        #expect(!Recording.isGivenUp(oldest: at(0), bytes: 256 << 20, at: at(10_000)))
        #expect(Recording.isGivenUp(oldest: at(0), bytes: 256 << 20 + 1, at: at(0)))
    }

    @Test("G6 a recording ends with the process that records", arguments: Engine.all)
    func dies(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        try bench.enqueue(2)
        #expect(try recorder.move() == nil)
        try bench.act { mutation in
            let dead = try mutation.store.processes().first { $0.role == .command }
            _ = try mutation.reap(try #require(dead).id)
        }
        try Self.expectNoTrace(bench)
        let tape = try TapeFile(path)
        #expect(tape.ending == nil && tape.remark == "the tape is cut off after event 1")
        #expect(
            try TapePlayer(tape).view(at: 1).store.readBlocking { try $0.counts()[.waiting] } == 2)
    }

    @Test("G6 one records at a time, and an older program is named before", arguments: Engine.all)
    func refused(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let old = try bench.attach()
        try bench.act { mutation in
            var process = try #require(try mutation.store.processes().first { $0.id == old })
            process.isRecorded = false
            try mutation.store.put(process)
        }
        let error = #expect(throws: QueueError.self) { try record(bench) }
        #expect(error?.message.contains("worker \(old) (pid 1) of an older version") == true)
        #expect(!Files.exists("\(bench.folder)/t.tape"))
        let (recorder, _) = try record(bench) { $0.endsOlder = true }
        try recorder.writeBeginning()
        let second = #expect(throws: QueueError.self) {
            try record(bench) {
                ($0.path, $0.endsOlder) = ("\(bench.folder)/u.tape", true)
            }
        }
        #expect(second?.message.hasPrefix("dana records this store since") == true)
        #expect(try recorder.end(nil).loss == nil)
        try Self.expectNoTrace(bench)
    }

    @Test(
        "G6 what comes while a long beginning is read is moved meanwhile", arguments: Engine.large)
    func spare(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let (recorder, _) = try record(bench)
        let wake = try EventSignal()
        let observation = try bench.store.observe { wake.signal() }
        let mover = SpareMover(bench.store)
        let moved = try bench.read { reader -> Int64 in
            let moved = try reader.recorded(limit: .max).last?.number ?? 0
            try mover.start()
            return moved
        }
        try bench.enqueue(1)
        while try !bench.read({ try $0.recorded(limit: 1).isEmpty }) {
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
        }
        let came = try mover.end().filter { $0.number > moved }
        #expect(came.count == 1 && came[0].commit.changes.count >= 1)
        withExtendedLifetime(observation) {}
        _ = try recorder.end(nil)
    }

    @Test("G6 only some queues, and without what stands at some places of payloads")
    func sifted() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        try bench.makeQueue("r")
        let secret = #"{"user":{"mail":"kim@example.com","id":7},"list":["kim@example.com"]}"#
        let task = request { $0.payload = Array(secret.utf8) }
        try bench.enqueue([task])
        let (recorder, path) = try record(bench) { change in
            change.queues = ["q"]
            change.redactedNames = ["payload.user.mail", "payload.list[0]", "payload.no"]
            change.redactions = ["user.mail", "list[0]", "no"].compactMap {
                SummaryPaths(text: $0)?.paths.first
            }
        }
        try recorder.writeBeginning()
        try bench.enqueue([task])
        try bench.enqueue([task], to: "r")
        let report = try recorder.end(nil)
        #expect(report.redactions == [2, 2, 0] && report.events == 1)
        let bytes = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        #expect(!bytes.contains("kim@example.com") && !bytes.contains("\"queue\":\"r\""))
        let store = try TapePlayer(TapeFile(path)).view(at: 1).store
        let payload = try store.readBlocking { try $0.payload(of: 2) } ?? []
        #expect(
            String(decoding: payload, as: UTF8.self)
                == #"{"user":{"mail":"redacted","id":7},"list":["redacted"]}"#)
    }

    @Test("G6 where no file can be made nothing is recorded, and it says what to name")
    func noFile() throws {
        let bench = try Bench(.sqlite)
        try Files.writeAtomically([1], to: "\(bench.folder)/there")
        for (name, fix) in [("there", "that is not there yet"), ("none/t.tape", "a folder")] {
            let error = #expect(throws: QueueError.self) {
                try record(bench) { $0.path = "\(bench.folder)/\(name)" }
            }
            #expect(error?.fix.contains(fix) == true, "\(error?.description ?? "")")
        }
        #expect(try bench.read { try $0.storeRecord().recording } == nil)
        #expect(try Files.read("\(bench.folder)/there", limitBytes: 9) == [1])
    }

    @Test("G6 one event back from a keyframe plays nothing of what lies before it")
    func back() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        for _ in 0..<1200 {
            try bench.enqueue(1)
            #expect(try recorder.move() == nil)
        }
        _ = try recorder.end(nil)
        let player = try TapePlayer(TapeFile(path))
        for event in [1200, 10, 1000] { #expect(try player.view(at: event).event == event) }
        // From here on, events before 900 are unreadable.
        let text = String(decoding: try Files.read(path, limitBytes: 1 << 24), as: UTF8.self)
        let early = try #require(text.firstRange(of: "{\"event\":900,")?.lowerBound)
        let count = text.utf8.distance(from: text.startIndex, to: early)
        // O_WRONLY.
        try FileDescriptor(opening: path, flags: 1)
            .writeAll(Array(repeating: UInt8(ascii: "x"), count: count))
        for event in (980..<1000).reversed() {
            let waiting = try player.view(at: event).store.readBlocking {
                try $0.counts()[.waiting]
            }
            #expect(waiting == event)
        }
        #expect(throws: QueueError.self) { try player.view(at: 899) }
    }

    @Test("G6 what is no tape, cut, edited, or of a newer program is told as that")
    func wrongFiles() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        for _ in 0..<5 { try bench.enqueue(1) }
        _ = try recorder.end(nil)
        // As an earlier version wrote them.
        let lines = try TapeLines.withoutSums(path)
        func open(_ lines: [String], end: String = "\n") throws -> TapeFile {
            let other = "\(bench.folder)/other.tape"
            let bytes = Array((lines.joined(separator: "\n") + end).utf8)
            try Files.writeAtomically(bytes, to: other)
            return try TapeFile(other)
        }
        #expect(try open(lines).count == 5)
        let cut = try open(Array(lines.dropLast(2)) + ["{\"event\":5,\"at\":18"], end: "")
        #expect(cut.count == 4 && cut.remark == "the tape is cut off after event 4")
        #expect(try TapePlayer(cut).view(at: 9).event == 4)
        // A tape cut near its beginning does not look complete, and one without a beginning reports
        // that.
        let early = try open(Array(lines.prefix(2)))
        #expect(early.count == 0 && early.remark?.contains("a part may be missing") == true)
        let empty = #expect(throws: QueueError.self) { try open([], end: "") }
        #expect(empty?.message.contains("is empty: its recording ended before") == true)
        let first = try #require(lines.firstIndex { $0.hasPrefix("{\"event\":1") })
        var without = lines
        without.remove(at: first + 1)
        var error = #expect(throws: QueueError.self) { try open(without) }
        #expect(error?.code == .damagedStore && error?.message.contains("event 3 where") == true)
        var bent = lines
        bent[first + 2] = "{\"event\":3,\"at\":1,\"changes\":[{\"what\":1}]}"
        let tape = try open(bent)
        let player = try TapePlayer(tape)
        #expect(try player.view(at: 2).event == 2)
        error = #expect(throws: QueueError.self) { try player.view(at: 3) }
        #expect(error?.message.contains("event 3 cannot be read") == true)
        bent[first + 2] = "{\"event\":3,\"at\":1,\"changes\":[{{]}"
        error = #expect(throws: QueueError.self) { try TapePlayer(open(bent)).view(at: 3) }
        #expect(error?.message.contains("event 3 cannot be read (line 1, column 31: ") == true)
        #expect(error?.message.ranges(of: "changed since").count == 1)
        var newer = lines
        newer[0] = newer[0].replacing("\"tape\":1", with: "\"tape\":2")
        error = #expect(throws: QueueError.self) { try open(newer) }
        #expect(error?.code == .newerSchema)
        error = #expect(throws: QueueError.self) { try open(["{\"x\":1}"]) }
        #expect(error?.code == .notAStore)
        error = #expect(throws: QueueError.self) { try TapeFile("\(bench.folder)/none") }
        #expect(error?.code == .noStore)
        error = #expect(throws: QueueError.self) { try TapeFile(bench.folder) }
        #expect(error?.code == .notAStore)
    }

    @Test("G6 a line that does not fit its sum is refused with its number, whatever was edited")
    func sums() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        try bench.enqueue([request { $0.label = "a1" }])
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        for number in 1...3 { try bench.enqueue([request { $0.label = "b\(number)" }]) }
        _ = try recorder.end(nil)
        let text = try TapeLines.text(path)
        let lines = text.split(separator: "\n").map(String.init)
        func look(_ text: String) throws -> TapePlayer.View {
            let other = "\(bench.folder)/other.tape"
            try Files.writeAtomically(Array(text.utf8), to: other)
            let tape = try TapeFile(other)
            return try TapePlayer.view(of: tape, at: tape.count)
        }
        #expect(try look(text).event == 3)
        for (number, one, other) in [
            (1, "\"by\":\"dana\"", "\"by\":\"kim\""), (3, "\"a1\"", "\"a2\""),
            (lines.count - 3, "\"b1\"", "\"b2\""), (lines.count, "it was", "it is"),
        ] {
            #expect(lines[number - 1].contains(one))
            let edited = text.replacing(one, with: other)
            let error = #expect(throws: QueueError.self) { try look(edited) }
            #expect(error?.code == .damagedStore)
            let words = "line \(number) does not fit its sum"
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.message.ranges(of: "changed since").count == 1)
        }
        // A missing checksum is an error.
        let bare = lines.dropLast(2) + [TapeSum.opened(lines[lines.count - 2])] + lines.suffix(1)
        let error = #expect(throws: QueueError.self) {
            try look(bare.joined(separator: "\n") + "\n")
        }
        #expect(error?.message.contains("line \(lines.count - 1) does not") == true)
    }

    @Test("G6 a tape that holds more than there is memory for says so before it takes it")
    func memory() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        try bench.enqueue(1)
        let (recorder, path) = try record(bench)
        try recorder.writeBeginning()
        for _ in 0..<5 { try bench.enqueue(1) }
        _ = try recorder.end(nil)
        let left = Protected<Int64?>(1 << 30)
        let tape = try TapeFile(path, askingEvery: 1) { left.withLock { $0 } }
        let player = try TapePlayer(tape)
        #expect(try player.view(at: 2).event == 2)
        left.withLock { $0 = 5 << 20 }
        let error = #expect(throws: QueueError.self) { try player.view(at: 4) }
        #expect(error?.code == .denied)
        #expect(
            error?.message.hasSuffix("than there is memory for: 5 MiB are left for it")
                == true)
        // Loaded events stay, and no message reports an edited tape.
        #expect(try player.view(at: 2).event == 2)
        let early = #expect(throws: QueueError.self) { try TapePlayer(tape) }
        #expect(early?.code == .denied)
        left.withLock { $0 = nil }
        #expect(try player.view(at: 5).event == 5)
    }
}
