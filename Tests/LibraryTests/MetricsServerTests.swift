import Sluice
import SluiceRunner
import SluiceSystem
import Testing

/// Metrics over HTTP.
@Suite("library: a server of metrics")
struct MetricsServerTests {
    private let app = QueueClient(store: MemoryStore())

    struct Job: TaskPayload {
        static let taskType = "job"
    }

    /// Sends bytes and returns the answer with its announced length; blocks its thread.
    private static func ask(_ server: MetricsServer, _ text: String) throws -> String {
        let socket = try StreamSocket.connect(
            host: server.address.host, port: server.address.port, timeoutMilliseconds: 60_000)
        try StreamSocket.writeAll(
            Array(text.utf8), to: socket, timeoutMilliseconds: 60_000)
        var found: [UInt8] = []
        while true {
            _ = try Poll.wait(
                fds: [PollInterest(socket.number)], timeoutMilliseconds: 60_000)
            switch try socket.read(atMost: 65_536) {
            case .bytes(let bytes): found += bytes
            case .nothingYet: continue
            case .end: return String(decoding: found, as: UTF8.self)
            }
            let text = String(decoding: found, as: UTF8.self)
            if text.hasPrefix("HTTP/1.1 4"), text.hasSuffix("served here\n") {
                return text
            }
        }
    }

    private static func get(_ server: MetricsServer) throws -> String {
        try ask(server, "GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n")
    }

    @Test("GET /metrics gives the text as it is now, with its length and type")
    func get() async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        #expect(server.address.port > 0)
        try await app.enqueue([Job(), Job()], to: "q")
        let answer = try await offPool { try Self.get(server) }
        let parts = answer.components("\r\n\r\n")
        #expect(parts.count == 2)
        #expect(parts[0].hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(parts[0].contains("Content-Type: \(OpenMetrics.contentType)\r\n"))
        #expect(parts[0].contains("Content-Length: \(parts[1].utf8.count)\r\n"))
        let metrics = OpenMetricsReader(parts[1])
        #expect(metrics.faults == [])
        #expect(metrics.value("sluice_tasks_waiting", ["queue": "q", "type": "job"]) == 2)
        let head = try await offPool { try Self.ask(server, "HEAD /metrics HTTP/1.0\n\n") }
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
        server.stop()
    }

    @Test(
        "the Accept header chooses between OpenMetrics and the text of version 0.0.4",
        arguments: [
            ("text/plain;version=0.0.4", true), ("TEXT/PLAIN; q=0.9, */*;q=0.1", true),
            ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3", false),
            ("application/openmetrics-text;q=0.3,text/plain;version=0.0.4;q=0.5", true),
            ("text/html", false), ("*/*", false), ("", false),
        ])
    func format(_ accept: String, _ isText: Bool) async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        try app.handle(Job.self) { _, _ in }
        try await app.enqueue(Job(), to: "q")
        try await app.drain(network: nil)
        let answer = try await offPool {
            try Self.ask(server, "GET /metrics HTTP/1.1\r\naccept: \(accept)\r\n\r\n")
        }
        let type = isText ? "text/plain; version=0.0.4; charset=utf-8" : OpenMetrics.contentType
        #expect(answer.contains("Content-Type: \(type)\r\n"))
        #expect(answer.contains("# EOF") != isText)
        #expect(answer.contains("gaugehistogram") != isText)
        #expect(answer.contains("# UNIT") != isText)
        #expect(answer.contains("\nsluice_hour_duration_seconds_count{") == isText)
        let name = "sluice_worker_attempts_ended"
        #expect(answer.contains("# TYPE \(name)\(isText ? "_total" : "") counter\n"))
    }

    @Test(
        "what is no request for metrics is refused",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 404), ("GET /metricsx HTTP/1.1\r\n\r\n", 404),
            ("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
            ("DELETE /metrics HTTP/1.1\r\n\r\n", 405), ("GET /metrics\r\n\r\n", 400),
            ("GET  /metrics HTTP/1.1\r\n\r\n", 400), ("GET metrics HTTP/1.1\r\n\r\n", 400),
            ("GET /metrics HTTP/2.0\r\n\r\n", 505), ("\u{16}\u{3}\u{1}\u{2}\u{0}", 400),
            ("hello\n\n", 400), ("\r\n\r\n", 400),
        ])
    func refused(_ request: String, _ status: Int) async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        let answer = try await offPool { try Self.ask(server, request) }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        if status == 405 { #expect(answer.contains("\r\nAllow: GET, HEAD\r\n")) }
        // The server still answers.
        #expect(try await offPool { try Self.get(server) }.hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a head that does not end is refused, and those that stay silent hold up nobody")
    func hostile() async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        let answer = try await offPool {
            try Self.ask(
                server, "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "a", count: 9_000))
        }
        #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
        let silent = try await offPool {
            try (0..<20).map { number in
                let socket = try StreamSocket.connect(
                    host: "127.0.0.1", port: server.address.port, timeoutMilliseconds: 60_000)
                if number % 2 == 0 {
                    try StreamSocket.writeAll(
                        Array("GET /met".utf8), to: socket, timeoutMilliseconds: 60_000)
                }
                return socket
            }
        }
        #expect(try await offPool { try Self.get(server) }.hasPrefix("HTTP/1.1 200 "))
        try app.handle(Job.self) { _, _ in }
        try await app.enqueue(Job(), to: "q")
        try await app.drain(network: nil)
        withExtendedLifetime(silent) {}
        let metrics = try await offPool { try Self.get(server) }
        #expect(
            metrics.contains("sluice_worker_attempts_started_total{queue=\"q\",type=\"job\"} 1"))
    }

    @Test("as many silent peers as there are places do not hold up one that asks")
    func starved() async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        let answers = try await offPool {
            let silent = try (0..<64).map { _ in
                let socket = try StreamSocket.connect(
                    host: "127.0.0.1", port: server.address.port, timeoutMilliseconds: 60_000)
                try StreamSocket.writeAll(
                    Array("GET /met".utf8), to: socket, timeoutMilliseconds: 60_000)
                return socket
            }
            let answers = try (0..<3).map { _ in try Self.get(server) }
            // A server that waits for their time to be over has closed all of them.
            let closed = try silent.filter { try $0.read(atMost: 1) == .end }
            return (answers, closed.count)
        }
        #expect(answers.0.allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") })
        #expect(answers.1 <= 3, "\(answers.1) were closed")
    }

    @Test("a burst of more peers than there are places closes none with bytes to read")
    func burst() async throws {
        let (entered, release) = (try EventSignal(), try EventSignal())
        let server = try MetricsServer(at: #require(HostPort("127.0.0.1:0"))) {
            entered.signal()
            _ = try Poll.wait(
                fds: [PollInterest(release.descriptor.number)], timeoutMilliseconds: 60_000)
            return []
        }
        let answer = try await offPool {
            let connect =
                {
                    let socket = try StreamSocket.connect(
                        host: "127.0.0.1", port: server.address.port, timeoutMilliseconds: 60_000)
                    try StreamSocket.writeAll(
                        Array($0.utf8), to: socket, timeoutMilliseconds: 60_000)
                    return socket
                } as (String) throws -> FileDescriptor
            let first = try connect("GET /metrics HTTP/1.1\r\n\r\n")
            _ = try Poll.wait(
                fds: [PollInterest(entered.descriptor.number)], timeoutMilliseconds: 60_000)
            let silent = try (0..<64).map { _ in try connect("GET /met") }
            release.signal()
            let answer = try Self.get(server)
            // A closed socket with unread bytes resets its connection, and this read throws.
            for socket in silent { _ = try socket.read(atMost: 1) }
            withExtendedLifetime(first) {}
            return answer
        }
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a store that cannot be read is told with the status, and the server goes on")
    func unavailable() async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        app.store.close()
        let answer = try await offPool { try Self.get(server) }
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("was closed"), "\(answer)")
    }

    @Test("an address that is none, is taken, or is not of this machine is refused with its name")
    func addresses() async throws {
        let server = try app.serveMetrics(at: "127.0.0.1:0")
        let taken = "127.0.0.1:\(server.address.port)"
        for address in ["9464", ":9464", "127.0.0.1", "127.0.0.1:x", "a b:1", "::1:80", taken] {
            let error = #expect(throws: QueueError.self) { try app.serveMetrics(at: address) }
            #expect(error?.code == .badValue)
            #expect(error?.message.contains(address) == true, "\(address)")
        }
        server.stop()
        // Its port is free again.
        try app.serveMetrics(at: taken).stop()
        #expect(HostPort("[::1]:9464")?.description == "[::1]:9464")
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        var (found, rest): ([String], Substring) = ([], self[...])
        while let range = rest.firstRange(of: separator) {
            found.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return found + [String(rest)]
    }
}
