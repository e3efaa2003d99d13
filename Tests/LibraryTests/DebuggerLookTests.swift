import Sluice
import SluiceSystem
import Testing

/// An app's queries about the debugger.
@Suite("library: breakpoints, faults and reports")
struct DebuggerLookTests {
    private struct Mail: TaskPayload {
        static let taskType = "mail"
        var to: String
    }
    private struct Bounce: Error {}

    private func app() throws -> QueueClient {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Mail.self) { mail, task in
            task.log("to \(mail.to)")
            if mail.to == "bob" { throw Bounce() }
        }
        return app
    }

    @Test("G1 an app reads the breakpoints that stand: hits, who set them, when they end")
    func breakpoints() async throws {
        let app = try app()
        #expect(try await app.breakpoints().isEmpty)
        let before = app.control.now()
        // A log breakpoint, because `drain` would wait for stopped tasks.
        let passing = BreakRequest(try TaskFilter("type:mail"), isLog: true)
        try await app.control.perform(.setBreakpoint(passing))
        let lasting = BreakRequest(try TaskFilter("label:x"), .after, forMilliseconds: nil)
        try await app.control.perform(.setBreakpoint(lasting))
        try await app.enqueue(Mail(to: "kim"), to: "mails")
        try await app.drain(network: nil)
        let found = try await app.breakpoints()
        #expect(found.map(\.number) == [1, 2])
        #expect(found.map(\.filter) == ["type:mail", "label:x"])
        #expect(found.map(\.hits) == [1, 0])
        #expect(found.allSatisfy { $0.by == app.control.person })
        let end = try #require(found.first?.until)
        #expect(end.milliseconds - before.milliseconds >= BreakRequest.usualMilliseconds)
        #expect(found.last?.until == nil)
        try await app.control.perform(.removeBreakpoints(.numbers([1])))
        #expect(try await app.breakpoints().map(\.number) == [2])
    }

    @Test("G1 an app sets breakpoints before, after and on failure, and removes them")
    func settingBreakpoints() async throws {
        let app = try app()
        try await app.enqueue(Mail(to: "kim"), to: "mails")
        try await app.enqueue(Mail(to: "bob"), to: "mails")
        try await app.pause("mails")
        let worker = try app.start(network: nil)
        let before = try await app.breakBefore("type:mail")
        let after = try await app.breakAfter("payload.to=kim", times: 3)
        let failure = try await app.breakOnFailure("type:mail error:bounce")
        #expect([before, after, failure] == [1, 2, 3])
        for _ in 0..<2 { #expect(try await app.step("mails").stepped.count == 1) }
        #expect(try await app.breakpoints().map(\.hits) == [0, 1, 1])
        try await worker.stop()
        for number in [before, after, failure] { try await app.removeBreakpoint(number) }
        #expect(try await app.breakpoints().isEmpty)
        await #expect(throws: QueueError.self) { try await app.removeBreakpoint(9) }
        await #expect(throws: QueueError.self) { try await app.breakBefore("state:failed") }
    }

    @Test("G2 an app reads the faults that stand: how often they applied, who set them")
    func faults() async throws {
        let app = try app()
        var request = FaultRequest(try TaskFilter("type:mail"), .fail("HTTP 503"))
        request.times = 2
        try await app.control.perform(.setFault(request))
        try await app.control.perform(.setQueue("mails", [.attempts(1)]))
        try await app.enqueue(Mail(to: "kim"), to: "mails")
        try await app.drain(network: nil)
        let found = try await app.faults()
        #expect(found.map(\.number) == [1] && found.map(\.filter) == ["type:mail"])
        #expect(found.first?.kind == .fail("HTTP 503"))
        #expect(found.first?.applied == 1)
        #expect(found.first?.by == app.control.person && found.first?.until != nil)
        // A fault that has affected its last attempt is removed.
        try await app.enqueue(Mail(to: "ann"), to: "mails")
        try await app.drain(network: nil)
        #expect(try await app.faults().isEmpty)
    }

    @Test("G7 an app writes the report of a task, without what stands at a place")
    func report() async throws {
        let app = try app()
        try await app.control.perform(.setQueue("mails", [.attempts(1)]))
        let id = try await app.enqueue(Mail(to: "bob"), to: "mails")
        try await app.drain(network: nil)
        let text = try await app.report([id])
        #expect(text.hasPrefix("# Task #\(id) `mail`\n"))
        #expect(text.contains("\"to\": \"bob\"") && text.contains("to bob"))
        #expect(text.contains("## Attempts") && text.contains("Bounce"))
        let clean = try await app.report([id], redacting: ["payload.to", "payload.cc"])
        #expect(!clean.contains("bob") && clean.contains("[redacted]"))
        #expect(clean.contains("times: `payload.to`"))
        #expect(clean.contains("0 times: `payload.cc`"))
        let missing = await #expect(throws: QueueError.self) { try await app.report([99]) }
        #expect(missing?.code == .unknownTask)
        let wrong = await #expect(throws: QueueError.self) {
            try await app.report([id], redacting: ["payload..to"])
        }
        #expect(wrong?.code == .badValue)
    }
}
