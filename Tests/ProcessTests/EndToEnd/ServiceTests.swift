import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// An app that works as a service, a real program.
@Suite("end to end: an app as a service")
struct ServiceTests {
    private static func start(_ place: Workplace) throws -> RunningProgram {
        let program = try BuiltProgram.path(of: "SluiceServiceExample")
        return try place.start("stdbuf", ["-oL", program, place.store])
    }

    private static func enqueue(_ place: Workplace, _ name: String) throws {
        try place.json(["enqueue", "q", "letter", #"{"file":"\#(place.file(name))"}"#])
    }

    private static func wait(_ place: Workplace, _ service: RunningProgram, _ line: String) throws {
        try place.wait(for: line) { service.output.contains("\(line)\n") }
    }

    /// A waiting task reports that no runner would claim it.
    private static func waitUntilItTakesNothing(_ place: Workplace) throws {
        try place.wait(for: "the worker to stop") {
            try place.json(["why", "2"]).text.contains("noRunner")
        }
    }

    @Test(
        "A6 one TERM lets what runs come to its end and takes nothing more",
        arguments: [
            Signal.terminate, .interrupt,
        ])
    func once(signal: Signal) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            for name in ["first", "second"] { try Self.enqueue(place, name) }
            let service = try Self.start(place)
            try Self.wait(place, service, "begin \(place.file("first"))")
            try service.signal(signal)
            try Self.waitUntilItTakesNothing(place)
            try place.touch("first")
            #expect(try service.answer().code == 0)
            #expect(service.output.hasSuffix("end \(place.file("first"))\nended\n"))
            #expect(try place.count("q", "succeeded") == 1)
            #expect(try place.count("q", "waiting") == 1)
        }
    }

    @Test("A6 a second TERM stops what runs; its task waits again")
    func twice() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            for name in ["never", "other"] { try Self.enqueue(place, name) }
            let service = try Self.start(place)
            try Self.wait(place, service, "begin \(place.file("never"))")
            try service.signal(.terminate)
            try Self.waitUntilItTakesNothing(place)
            try service.signal(.terminate)
            #expect(try service.answer().code == 0)
            #expect(service.output.hasSuffix("\nended\n"))
            #expect(try place.count("q", "waiting") == 2)
        }
    }
}
