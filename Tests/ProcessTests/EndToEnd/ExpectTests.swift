import SluiceModel
import SluiceTestSupport
import Testing

/// A program that waits for what others do.
@Suite("end to end: expectations", .serialized)
struct ExpectTests {
    @Test("G7 an expectation is fulfilled by other processes, or ends with its time")
    func waits() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "100"])
            let ids = try place.enqueue("mail", count: 3)
            let waiting = try place.start([
                "expect", "empty(mail) and ran(queue:mail) == 3", "--within", "80s", "--json",
                "--junit", place.file("results.xml"),
            ])
            let kept = try place.start([
                "expect", "not empty(mail)", "--within", "80s", "--throughout",
            ])
            #expect(waiting.isRunning && kept.isRunning)
            _ = try place.startWorker()
            let answer = try waiting.answer()
            #expect(answer.code == 0 && answer.json["held"] == true)
            let broken = try kept.answer()
            #expect(broken.code == 4 && broken.output.hasPrefix("not held"))
            #expect(place.text("results.xml").contains("failures=\"0\""))
            let late = try place.sluice([
                "expect", "state(#\(ids[0])) == failed", "--within", "100ms",
            ])
            #expect(late.code == 4 && late.output.contains("#\(ids[0]) is succeeded"))
        }
    }
}
