import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("The handler download", .timeLimit(.minutes(10)))
struct DownloadTests {
    let place: TransferPlace

    init() throws { place = try TransferPlace() }

    @Test("PN-12 DBX-19 DBX-20 what comes is in the file, for its owner only, and nothing else")
    func whole() async throws {
        for size in [0, 1, 100_000] as [Int64] {
            let file = ServedFile(bytes: size)
            let server = try ScriptedServer { try $0.serve(file) }
            let name = "in/\(size)/a.bin"
            let asked = await place.download(server.url("/a?b"), to: name)
            #expect(await asked.outcome == .placed(name, bytes: Int(size)))
            #expect(try place.read(name) == file.content)
            #expect(try Files.status(place.file(name))?.mode == 0o600)
            #expect(try Files.list(place.file("in/\(size)")) == ["a.bin"])
            #expect(server.requests.map(\.path) == ["/a?b"])
            #expect(server.requests.first?.method == "GET")
            let progress = try #require(asked.report.seen.progress.last)
            #expect(progress.fraction == 1)
            #expect(progress.text?.hasPrefix(SizeText.short(size)) == true)
        }
        #expect(try Files.status(place.file("in"))?.mode == 0o700)
    }

    @Test("S5 DBX-19 a connection that breaks is taken up again where it broke, in the attempt")
    func cut() async throws {
        let file = ServedFile(bytes: 1_000_000)
        let server = try ScriptedServer { talk in
            try talk.serve(file, cutAfter: talk.number < 5 ? 150_000 : .max)
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 1_000_000))
        #expect(try place.read("a.bin") == file.content)
        let starts = server.requests.map(\.rangeStart)
        #expect(starts == [nil, 150_000, 300_000, 450_000, 600_000])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"v1\"" })
        #expect(try place.names() == ["a.bin"])
    }

    @Test("S5 a length that is not kept, and silence, are taken up again too; six times at most")
    func short() async throws {
        let file = ServedFile(bytes: 5000)
        let server = try ScriptedServer { talk in
            switch talk.number {
            case 1:
                try talk.head(200, ["ETag: \"v1\"", "Content-Length: 5000"])
                try talk.send(file, 0..<1000)
                talk.close()
            case 2:
                try talk.head(206, ["Content-Length: 4000", "Content-Range: bytes 1000-4999/5000"])
                try talk.send(file, 1000..<2000)
                try talk.waitUntilGone()
            default: talk.close()
            }
        }
        let asked = await place.download(server.url("/"), to: "a.bin") {
            // Even on a busy machine the server's answer takes less.
            $0.limits.stalledMilliseconds = 2000
        }
        let error = "GET \(server.url("/")): Empty reply from server"
        #expect(await asked.outcome == .failed(error))
        #expect(
            server.requests.map(\.rangeStart) == [nil, 1000] + Array(repeating: 2000, count: 5))
        #expect(asked.report.seen.log.contains { $0.contains("not one byte") })
        #expect(try place.names() == [".sluice-key-1042.part", ".sluice-key-1042.state"])
    }

    @Test("S5 another attempt goes on where the last one was")
    func resumed() async throws {
        let file = ServedFile(bytes: 300_000)
        let server = try ScriptedServer { talk in
            switch talk.number {
            case 1: try talk.serve(file, cutAfter: 100_000)
            case 2: try talk.answer(408)
            default: try talk.serve(file)
            }
        }
        let first = await place.download(server.url("/"), to: "a.bin")
        #expect(await first.outcome == .failed("HTTP 408 Request Timeout"))
        let second = await place.download(server.url("/"), to: "a.bin")
        #expect(await second.outcome == .placed("a.bin", bytes: 300_000))
        #expect(try place.read("a.bin") == file.content)
        #expect(server.requests[2].rangeStart == server.requests[1].rangeStart)
        #expect(second.report.seen.progress.first?.fraction ?? 0 > 0)
    }

    @Test("S5 a content that has changed is fetched anew, never mixed")
    func changed() async throws {
        let old = ServedFile(bytes: 200_000)
        var new = ServedFile(bytes: 150_000)
        new.tag = "\"v2\""
        new.shift = 7
        let server = try ScriptedServer { [new] talk in
            try talk.number == 1 ? talk.serve(old, cutAfter: 100_000) : talk.serve(new)
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 150_000))
        #expect(try place.read("a.bin") == new.content)
        #expect(asked.report.seen.log.contains { $0.contains("all of it again") })
    }

    @Test("S5 a server that knows no ranges sends all of it again")
    func noRanges() async throws {
        var file = ServedFile(bytes: 200_000)
        file.knowsRanges = false
        let server = try ScriptedServer { [file] talk in
            try talk.serve(file, cutAfter: talk.number == 1 ? 100_000 : .max)
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 200_000))
        #expect(try place.read("a.bin") == file.content)
    }

    @Test(
        "S5 without anything the content is known by nothing is asked for in parts",
        arguments: [
            [], ["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"],
            ["ETag: W/\"weak\""],
            [
                "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT",
                "Date: Thu, 01 Jan 2026 00:00:00 GMT",
            ],
        ])
    func noValidator(_ headers: [String]) async throws {
        var file = ServedFile(bytes: 200_000)
        file.tag = nil
        file.headers = headers
        let server = try ScriptedServer { [file] talk in
            try talk.serve(file, cutAfter: talk.number == 1 ? 100_000 : .max)
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 200_000))
        #expect(try place.read("a.bin") == file.content)
        #expect(server.requests.map(\.rangeStart) == [nil, nil])
    }

    @Test("S5 a modification time of a second or more ago is as good as a tag")
    func lastModified() async throws {
        var file = ServedFile(bytes: 200_000)
        let modified = "Thu, 01 Jan 2026 00:00:00 GMT"
        file.headers = ["Last-Modified: \(modified)", "Date: Thu, 01 Jan 2026 00:00:01 GMT"]
        let server = try ScriptedServer { [file] talk in
            var file = file
            file.tag = talk.number == 1 ? nil : modified
            try talk.serve(file, cutAfter: talk.number == 1 ? 100_000 : .max)
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 200_000))
        #expect(server.requests.last?.headers["if-range"] == modified)
        #expect(try place.read("a.bin") == file.content)
    }

    @Test(
        "S5 parts that do not fit are not put together; after the second time the attempt ends",
        arguments: [
            "bytes 0-999/1000", "bytes 501-999/1000", "bytes 500-999/1001", "bytes 500-400/1000",
            "pancakes", "",
        ])
    func misfit(_ range: String) async throws {
        let file = ServedFile(bytes: 1000)
        let server = try ScriptedServer { talk in
            guard talk.request.rangeStart != nil else {
                return try talk.serve(file, cutAfter: talk.number < 7 ? 500 : .max)
            }
            try talk.answer(206, ["Content-Range: \(range)"], "x")
        }
        let first = await place.download(server.url("/"), to: "a.bin")
        let error = "\(server.url("/")): what the server sends does not fit together"
        #expect(await first.outcome == .failed(error))
        #expect(server.requests.count == 6)
        let second = await place.download(server.url("/"), to: "a.bin")
        #expect(await second.outcome == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content)
    }

    @Test("S5 a range that the server cannot satisfy begins anew; a server may send small parts")
    func unsatisfiable() async throws {
        let file = ServedFile(bytes: 1000)
        let server = try ScriptedServer { talk in
            switch (talk.number, talk.request.rangeStart) {
            case (1, _): try talk.serve(file, cutAfter: 300)
            case (2, _): try talk.answer(416, ["Content-Range: bytes */200"])
            case (3, nil): try talk.serve(file, cutAfter: 100)
            case (_, let start?):
                let end = min(start + 250, 1000)
                try talk.head(
                    206,
                    [
                        "Content-Length: \(end - start)",
                        "Content-Range: bytes \(start)-\(end - 1)/1000",
                    ])
                try talk.send(file, start..<end)
            default: try talk.answer(500)
            }
        }
        let asked = await place.download(server.url("/"), to: "a.bin")
        #expect(await asked.outcome == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content)
        #expect(
            server.requests.map(\.rangeStart) == [nil, 300, nil, 100, 350, 600, 850])
    }

    @Test("DBX-24 PN-15 an answer that is no success ends as for http, with what the server said")
    func errors() async throws {
        let server = try ScriptedServer { talk in
            let status = Int(talk.request.path.dropFirst()) ?? 500
            try talk.answer(status, ["Retry-After: 9"], "because")
        }
        let expected: [(Int, HandlerOutcome)] = [
            (404, .giveUp(error: "HTTP 404 Not Found: because")),
            (401, .paused("HTTP 401 Unauthorized: because")),
            (429, .retry(afterMilliseconds: 9000, error: "HTTP 429 Too Many Requests: because")),
            (503, .retry(afterMilliseconds: 9000, error: "HTTP 503 Service Unavailable: because")),
        ]
        for (status, outcome) in expected {
            let asked = await place.download(server.url("/\(status)"), to: "a.bin")
            #expect(await asked.outcome == outcome)
        }
        #expect(try place.names() == [])
    }

    @Test("A6 a stop ends a download at once; the next attempt goes on")
    func stop() async throws {
        let file = ServedFile(bytes: 2_000_000)
        let server = try ScriptedServer { talk in
            guard talk.number == 1 else { return try talk.serve(file) }
            try talk.head(200, ["ETag: \"v1\"", "Content-Length: \(file.bytes)"])
            try talk.send(file, 0..<500_000)
            try talk.waitUntilGone()
        }
        let payload: JSONValue = ["url": .string(server.url("/")), "destination": "a.bin"]
        let asked = place.download(payload)
        let part = place.file(".sluice-key-1042.part")
        while (try? Files.status(part))??.sizeBytes != 500_000 {
            try Poll.pause(milliseconds: 1)
        }
        asked.running.stop()
        #expect(await asked.outcome == .failed("stopped"))
        let next = await place.download(server.url("/"), to: "a.bin")
        #expect(await next.outcome == .placed("a.bin", bytes: 2_000_000))
        #expect(server.requests.last?.rangeStart == 500_000)
        #expect(try place.read("a.bin") == file.content)
    }
}
