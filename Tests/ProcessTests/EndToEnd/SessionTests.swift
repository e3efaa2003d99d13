import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The library's example as a real program, with the real worker.
@Suite("end to end: sessions")
struct SessionTests {
    /// A workplace with handlers: a picture takes a moment, and a bad one fails permanently.
    static func prepare() throws -> Workplace {
        let place = try Workplace.withStore()
        try place.write(
            """
            #!/bin/sh
            read payload
            case $payload in *bad*) echo 'no such picture' >&2; exit 65;; esac
            echo '{"sent":true}'
            """, to: "send", isProgram: true)
        try place.write(
            #"{"handlers":{"upload":{"command":["./send"]}}}"#, to: "handlers.json")
        return place
    }

    /// Starts the uploader with unbuffered output.
    static func upload(_ place: Workplace, _ pictures: [String] = []) throws -> RunningProgram {
        let program = try BuiltProgram.path(of: "SluiceUploaderExample")
        return try place.start("stdbuf", ["-oL", program, place.store] + pictures)
    }

    private static func work(_ place: Workplace) throws -> ProgramAnswer {
        try place.expecting(
            0,
            place.sluice(["work", "--until-empty", "--handlers", place.file("handlers.json")]))
    }

    /// The lines of an output that begin with a word.
    static func lines(_ output: String, _ word: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix(word) }.map(String.init)
    }

    @Test(
        "PN-19 S2 S4 an app that handed 20 tasks over is killed; its next life gets each once"
    )
    func killedApp() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.prepare()
            let pictures = (1...20).map { $0 == 7 ? "bad-7.jpg" : "picture-\($0).jpg" }
            let first = try Self.upload(place, pictures)
            try place.wait(for: "the last task") {
                Self.lines(first.output, "handed over").count == 20
            }
            try first.signal(.kill)
            #expect(try first.answer().exit == .signal(.kill))
            #expect(try place.json(["results", "uploads"])["results"]?.array?.count == 20)
            let worked = try Self.work(place)
            let results = try place.json(["results", "uploads"])["results"]?.array ?? []
            #expect(results.count { $0["state"] == "succeeded" } == 19)
            #expect(results.count { $0["error"] == "no such picture" } == 1)
            let second = try Self.upload(place)
            #expect(try second.answer().code == 0)
            let told = Self.lines(second.output, "result")
            let expected = pictures.enumerated().map { place, picture in
                let end = picture.hasPrefix("bad") ? "no such picture" : "sent"
                return "result #\(place + 1) \(picture): \(end)"
            }
            #expect(Set(told) == Set(expected) && told.count == 20)
            let third = try Self.upload(place)
            #expect(try third.answer().output == "")
            #expect(try place.json(["results", "uploads"])["results"]?.array == [])
            print("killed after:\n\(first.output.suffix(120))")
            print("worker:\n\(worked.output.suffix(200))\nnext life:\n\(second.output)")
        }
    }

    @Test("PN-01 PN-19 the worker is killed while it works; another carries the session on")
    func killedWorker() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.prepare()
            try place.employWitness()
            let app = try Self.upload(place, ["slow"])
            try place.wait(for: "the task") { Self.lines(app.output, "handed over").count == 1 }
            try place.json(["edit", "#1", "--payload", #"{"picture":"slow","wait":"go"}"#])
            try place.json(["queue", "set", "uploads", "--retry", "fixed(0s)"])
            let worker = try place.startWorker()
            try place.wait(for: "the execution") { place.testimony.count("ready") == 1 }
            try worker.signal(.kill)
            try worker.answer()
            try place.touch("go")
            _ = try place.startWorker()
            #expect(try app.answer().code == 0)
            #expect(Self.lines(app.output, "result") == ["result #1 slow: sent"])
        }
    }
}
