import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("A web server as Debian has it", .timeLimit(.minutes(10)))
struct RealServerTests {
    let place: TransferPlace

    init() throws { place = try TransferPlace() }

    @Test("S5 a download that was broken off goes on there with a range")
    func resume() async throws {
        let server = try RealServer(kilobytesPerSecond: 4096)
        let bytes = Pattern.bytes(at: 0, count: 3_000_000)
        try server.put(bytes, as: "a.bin")
        let payload: JSONValue = ["url": .string(server.url("a.bin")), "destination": "a.bin"]
        let first = place.download(payload)
        let part = place.file(".sluice-key-1042.part")
        while (try? Files.status(part))??.sizeBytes ?? 0 == 0 { try Poll.pause(milliseconds: 1) }
        first.running.stop()
        #expect(await first.outcome == .failed("stopped"))
        let there = try #require(try Files.status(part)).sizeBytes
        #expect(there > 0 && there < 3_000_000)
        let second = await place.download(server.url("a.bin"), to: "a.bin")
        #expect(await second.outcome == .placed("a.bin", bytes: 3_000_000))
        #expect(try place.read("a.bin") == bytes)
        #expect(second.report.seen.log == ["continues at \(SizeText.short(there))"])
    }

    @Test("S5 a file that changed there meanwhile is fetched anew")
    func changed() async throws {
        let server = try RealServer(kilobytesPerSecond: 4096)
        try server.put(Pattern.bytes(at: 0, count: 3_000_000), as: "a.bin")
        let payload: JSONValue = ["url": .string(server.url("a.bin")), "destination": "a.bin"]
        let first = place.download(payload)
        let part = place.file(".sluice-key-1042.part")
        while (try? Files.status(part))??.sizeBytes ?? 0 == 0 { try Poll.pause(milliseconds: 1) }
        first.running.stop()
        _ = await first.outcome
        let new = Pattern.bytes(at: 9, count: 2_000_000)
        try server.put(new, as: "a.bin")
        let second = await place.download(server.url("a.bin"), to: "a.bin")
        #expect(await second.outcome == .placed("a.bin", bytes: 2_000_000))
        #expect(try place.read("a.bin") == new)
        #expect(second.report.seen.log.last?.contains("all of it again") == true)
    }

    @Test("S5 what is missing there is given up; an upload arrives as it is, and comes back")
    func upload() async throws {
        let server = try RealServer()
        let missing = await place.download(server.url("none"), to: "a.bin").outcome
        #expect(missing.error?.hasPrefix("HTTP 404 Not Found: ") == true)
        let bytes = Pattern.bytes(at: 3, count: 5_000_000)
        try Files.writeAtomically(bytes, to: place.file("a.bin"))
        let put = await place.upload(server.url("b.bin"), "a.bin")
        guard case .success = await put.outcome else {
            Issue.record("\(await put.outcome)")
            return
        }
        let back = await place.download(server.url("b.bin"), to: "b.bin")
        #expect(await back.outcome == .placed("b.bin", bytes: 5_000_000))
        #expect(try place.read("b.bin") == bytes)
    }

    @Test("P5 a server whose certificate nobody trusts is told nothing; one may be trusted")
    func certificates() async throws {
        let server = try RealServer(isTLS: true)
        try server.put(Array("secret".utf8), as: "a")
        let denied = await place.download(server.url("a"), to: "a").outcome
        #expect(denied == .failed(denied.error))
        #expect(denied.error?.contains("certificate") == true, "\(denied)")
        let trusted = await place.download(server.url("a"), to: "a") {
            $0.environment = ["SSL_CERT_FILE": server.certificate]
        }
        #expect(await trusted.outcome == .placed("a", bytes: 6))
    }
}
