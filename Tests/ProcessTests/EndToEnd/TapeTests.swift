import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// `record` as a separate process.
@Suite("end to end: tapes", .serialized)
struct TapeTests {
    private func isBegun(_ place: Workplace) -> Bool {
        place.text("t.tape").contains("{\"begin\":")
    }

    private func isRecorded(_ place: Workplace) throws -> Bool {
        let answer = try place.sluice(["record", place.file("other.tape"), "--for", "1ms"])
        return answer.code == 1 && answer.errors.contains("records this store since")
    }

    @Test("G6 record says how long it is to record")
    func saysHowLong() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let answer = try place.sluice(["record", place.file("t.tape"), "--for", "1ms"])
            #expect(answer.code == 0)
            #expect(answer.errors.contains("t.tape, for 1ms or until ^C\n"), "\(answer.errors)")
        }
    }

    @Test("G6 a recording of a worker ends with TERM, and the store is as if it had not been")
    func records() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let tape = place.file("t.tape")
            let recorder = try place.start(["record", tape, "--json"])
            try place.wait(for: "the recording to begin") { isBegun(place) }
            _ = try place.enqueue("mail", count: 5)
            let worker = try place.startWorker()
            try place.wait(for: "all to have run") { try place.count("mail", "waiting") == 0 }
            try place.dismiss([worker])
            try recorder.signal(.terminate)
            let answer = try recorder.answer()
            #expect(answer.code == 0)
            let lines = place.text("t.tape").split(separator: "\n")
            let events = lines.count { $0.hasPrefix("{\"event\":") }
            #expect(answer.json["events"] == .integer(Int64(events)) && events >= 6)
            #expect(answer.json["ended"] == .null)
            #expect(lines.last?.hasPrefix("{\"end\":\"it was stopped\"") == true)
            #expect(try !isRecorded(place))
            let listed = try place.sluice(["list", "--store", tape])
            #expect(listed.code == 0 && listed.errors == "", "\(listed.errors)")
            let skipped = try place.sluice(["skip", "1", "--store", tape])
            #expect(skipped.code == 1 && skipped.errors.contains("--into NEW.db makes a store"))
        }
    }

    @Test("G6 kill -9 of record leaves a tape up to there, and a store that goes on")
    func killed() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let tape = place.file("t.tape")
            let recorder = try place.start(["record", tape])
            try place.wait(for: "the recording to begin") { isBegun(place) }
            _ = try place.enqueue("mail", count: 3)
            try place.wait(for: "that on the tape") {
                place.text("t.tape").contains("{\"event\":1,")
            }
            try recorder.signal(.kill)
            _ = try recorder.answer()
            let ids = try place.enqueue("mail", count: 2)
            #expect(try ids.count == 2 && place.count("mail", "waiting") == 5)
            // The next process that attaches cleans up.
            let next = try place.sluice(["record", place.file("u.tape"), "--for", "1ms"])
            #expect(next.code == 0, "\(next.errors)")
            #expect(!place.text("t.tape").contains("{\"end\":"))
        }
    }
}
