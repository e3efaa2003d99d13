import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("The handler upload", .timeLimit(.minutes(10)))
struct UploadTests {
    let place: TransferPlace

    init() throws { place = try TransferPlace() }

    /// A file that no socket's buffer holds.
    private static let large = 32 << 20

    private func put(_ bytes: [UInt8], as name: String) throws {
        try Files.writeAtomically(bytes, to: place.file(name))
    }

    @Test("S5 a file is the body, by the method that the payload says; the answer is the result")
    func whole() async throws {
        let received = Protected<[[UInt8]]>([])
        let server = try ScriptedServer { talk in
            let body = try talk.body()
            received.withLock { $0.append(body) }
            try talk.answer(201, [], "thanks")
        }
        let sizes = [0, 1, 1 << 20, 3_000_000]
        for size in sizes {
            let bytes = Pattern.bytes(at: 0, count: size)
            try put(bytes, as: "a.bin")
            let method = size == 1 ? "POST" : "PUT"
            let asked = await place.upload(server.url("/up"), "./a.bin", method: method)
            #expect(await asked.outcome == .success(result: Array("thanks".utf8)))
            #expect(received.withLock { $0.last } == bytes)
            #expect(asked.report.seen.progress.first?.fraction == (size == 0 ? 1 : 0))
        }
        #expect(server.requests.map(\.method) == ["PUT", "POST", "PUT", "PUT"])
        #expect(server.requests.map(\.bodyBytes) == sizes.map(Int64.init))
        // A server can refuse a large body before its upload.
        #expect(
            server.requests.map { $0.headers["expect"] } == [nil, nil, nil, "100-continue"])
        let headers = try #require(server.requests.last).headers
        #expect(headers["content-type"] == "application/octet-stream")
        #expect(headers["idempotency-key"] == "key-1042")
    }

    @Test("S5 a server that fails is sent the file again from its start; a redirect too")
    func again() async throws {
        let bytes = Pattern.bytes(at: 0, count: 300_000)
        try put(bytes, as: "a.bin")
        let received = Protected<[Int]>([])
        let server = try ScriptedServer { talk in
            let body = try talk.body()
            received.withLock { $0.append(body == bytes ? 1 : 0) }
            switch talk.number {
            case 1: try talk.answer(307, ["Location: /there"])
            case 2, 3: try talk.answer(503)
            default: try talk.answer(204)
            }
        }
        let asked = await place.upload(server.url("/"), "a.bin")
        #expect(await asked.outcome == .success(result: nil))
        #expect(received.withLock { $0 } == [1, 1, 1, 1])
        #expect(server.requests.map(\.path) == ["/", "/there", "/", "/"])
    }

    @Test("PN-17 a connection that breaks is a counted failure; the next attempt sends all of it")
    func cut() async throws {
        try put(Pattern.bytes(at: 0, count: Self.large), as: "a.bin")
        let server = try ScriptedServer { talk in
            guard talk.number == 1 else {
                while try talk.readSome() != nil {}
                return try talk.answer(200, [], "all")
            }
            _ = try talk.body(limitBytes: 1_000_000)
            talk.cut()
        }
        let first = await place.upload(server.url("/"), "a.bin")
        #expect(await first.outcome == .failed(first.outcome.error))
        #expect(server.requests.count == 1)
        let second = await place.upload(server.url("/"), "a.bin")
        #expect(await second.outcome == .success(result: Array("all".utf8)))
        #expect(server.requests.map(\.bodyBytes) == [Int64(Self.large), Int64(Self.large)])
    }

    @Test(
        "S5 a file that is written to while it is sent is not sent whole",
        arguments: [
            ("truncate -s 1000 a.bin", "shrank to 1000 B while it was sent"),
            ("truncate -s 40000000 a.bin", "was written to while it was sent: it has 38 MiB now"),
            (
                "echo x | dd of=a.bin conv=notrunc status=none",
                "was written to while it was sent: it has 32 MiB now"
            ),
        ])
    func written(_ command: String, _ error: String) async throws {
        try put(Pattern.bytes(at: 0, count: Self.large), as: "a.bin")
        let path = place.path
        let server = try ScriptedServer { talk in
            _ = try talk.body(limitBytes: 1_000_000)
            let shell = try ChildProcess.spawn(
                Spawn("sh", ["-c", command], environment: ["PATH=/usr/bin:/bin"], directory: path))
            _ = try Poll.wait(fds: [PollInterest(shell.pidfd.number)], timeoutMilliseconds: nil)
            _ = try shell.reap()
            while try talk.readSome() != nil {}
            try talk.answer(200)
        }
        let asked = await place.upload(server.url("/"), "a.bin")
        let outcome = await asked.outcome
        #expect(outcome == .failed(outcome.error))
        #expect(outcome.error?.hasPrefix("a.bin ") == true, "\(outcome)")
        #expect(server.complaints == [] || server.complaints.first?.contains("left") == true)
    }

    @Test("S5 a server that answers before it has read all is heard")
    func early() async throws {
        try put(Pattern.bytes(at: 0, count: Self.large), as: "a.bin")
        let server = try ScriptedServer { talk in
            // Not invited, a client with a large body has sent nothing yet.
            try talk.answer(talk.number == 1 ? 413 : 401, ["Connection: close"], "no")
            talk.close()
        }
        let large = await place.upload(server.url("/"), "a.bin").outcome
        #expect(large == .giveUp(error: "HTTP 413 Content Too Large: no"))
        let denied = await place.upload(server.url("/"), "a.bin").outcome
        #expect(denied == .paused("HTTP 401 Unauthorized: no"))
    }

    @Test("A6 a stop ends an upload at once")
    func stop() async throws {
        try put(Pattern.bytes(at: 0, count: Self.large), as: "a.bin")
        let isReading = Protected(false)
        let server = try ScriptedServer { talk in
            _ = try talk.body(limitBytes: 100_000)
            isReading.withLock { $0 = true }
            try talk.waitUntilGone()
        }
        let asked = place.uploading(server.url("/"), "a.bin")
        while !isReading.withLock({ $0 }) { try Poll.pause(milliseconds: 1) }
        asked.running.stop()
        #expect(await asked.outcome == .failed("stopped"))
    }

    @Test(
        "S5 what is no file below the root is refused, and not opened",
        arguments: [
            ("none", "there is no source none"), ("sub/none", "there is no source sub/none"),
            ("sub", "the source sub is not a regular file"),
            ("pipe", "the source pipe is not a regular file"),
            ("/etc/passwd", "the payload's source \"/etc/passwd\" is no path below the root"),
            ("../a", "the payload's source \"../a\" is no path below the root"),
            ("out", "out leads out of the root"), ("zero", "zero leads out of the root"),
            ("up/etc/passwd", "up/etc/passwd leads out of the root"),
            ("round", "round leads out of the root"), ("dangling", "there is no source dangling"),
        ])
    func sources(_ source: String, _ error: String) async throws {
        try Files.makeDirectory(place.file("sub"))
        _ = await Shell.run("mkfifo '\(place.file("pipe"))'")
        for (target, name) in [
            ("/etc/passwd", "out"), ("/dev/zero", "zero"), ("../../..", "up"), ("round", "round"),
            ("nowhere", "dangling"),
        ] {
            try await Shell.link(target, at: place.file(name))
        }
        let asked = await place.upload("http://127.0.0.1:1/", source)
        #expect(await asked.outcome == .giveUp(error: error))
    }

    @Test("S5 a device is no source; a link inside the root is one")
    func devices() async throws {
        let devices = TransferHandler(
            direction: .up, root: TransferRoot(path: "/dev"), settings: WebSettings(),
            timeoutMilliseconds: nil)
        let payload = #"{"url":"http://127.0.0.1:1/","source":"zero"}"#
        let asked = Asked(devices, payload: Array(payload.utf8))
        #expect(
            await asked.outcome == .giveUp(error: "the source zero is not a regular file"))
        try put([1, 2, 3], as: "a.bin")
        try await Shell.link("a.bin", at: place.file("b.bin"))
        let server = try ScriptedServer { try $0.answer(200, [], $0.body()) }
        let linked = await place.upload(server.url("/"), "b.bin")
        #expect(await linked.outcome == .success(result: [1, 2, 3]))
    }
}
