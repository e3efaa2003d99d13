import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker that serves metrics.
@Suite("end to end: metrics")
struct MetricsTests {
    /// A server's answer to a metrics request. Blocks its thread.
    private func metrics(at port: UInt16) throws -> String {
        let socket = try StreamSocket.connect(
            host: "127.0.0.1", port: port, timeoutMilliseconds: 60_000)
        try StreamSocket.writeAll(
            Array("GET /metrics HTTP/1.1\r\n\r\n".utf8), to: socket, timeoutMilliseconds: 60_000)
        var found: [UInt8] = []
        while true {
            _ = try Poll.wait(fds: [PollInterest(socket.number)], timeoutMilliseconds: 60_000)
            switch try socket.read(atMost: 65_536) {
            case .bytes(let bytes): found += bytes
            case .nothingYet: continue
            case .end: return String(decoding: found, as: UTF8.self)
            }
        }
    }

    @Test("work --metrics serves the store's figures and its own, and ends as ever")
    func served() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                #"{"handlers":{"*":{"simulate":{"fail":1,"error":"no"}}}}"#, to: "h.json")
            try place.json(["queue", "set", "mail", "--attempts", "1"])
            try place.json(["enqueue", "mail", "send"])
            let free = try ListeningSocket(host: "127.0.0.1", port: 0)
            let port = free.port
            let words = ["work", "--handlers", place.file("h.json"), "--metrics"]
            // While another process uses the port, the worker refuses to start.
            let refused = try place.sluice(words + ["127.0.0.1:\(port)"])
            #expect(refused.code == 2)
            #expect(refused.errors.contains("metrics cannot be served at 127.0.0.1:\(port)"))
            free.descriptor.close()
            let worker = try place.start(words + ["127.0.0.1:\(port)"])
            // The store's read is a moment older than the worker's counts.
            let lines = [
                #"sluice_worker_attempts_ended_total{queue="mail",type="send",outcome="retry"} 1"#,
                #"sluice_tasks_failed{queue="mail",type="send"} 1"#,
            ]
            var text = ""
            while !lines.allSatisfy({ text.contains($0) }) {
                guard let found = try? metrics(at: port) else { continue }
                text = found
            }
            #expect(text.contains("\nsluice_runners 1\n") && text.hasSuffix("# EOF\n"))
            try worker.signal(.terminate)
            let answer = try worker.answer()
            #expect(answer.code == 0)
            #expect(answer.errors.contains("metrics: http://127.0.0.1:\(port)/metrics"))
        }
    }

    @Test("metrics --listen serves the store's figures after the last worker was killed")
    func exporter() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{"duration":"1h"}}}}"#, to: "h.json")
            try place.json(["enqueue", "mail", "send"])
            let exporter = try place.start(["metrics", "--listen", "127.0.0.1:0"])
            try place.wait(for: "the exporter") { exporter.errors.hasSuffix("/metrics\n") }
            let port = try #require(
                exporter.errors.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap {
                    UInt16($0.output.1)
                })
            #expect(try metrics(at: port).contains("\nsluice_runners 0\n"))
            let worker = try place.start(["work", "--handlers", place.file("h.json")])
            try place.wait(for: "the task") {
                try place.json(["list"])["tasks"]?.array?.first?["state"] == "running"
            }
            let running = #"sluice_tasks_running{queue="mail",type="send"} 1"#
            let busy = try metrics(at: port)
            #expect(busy.contains("\nsluice_runners 1\n") && busy.contains(running), "\(busy)")
            try worker.signal(.kill)
            _ = try worker.answer()
            let idle = try metrics(at: port)
            #expect(idle.contains("\nsluice_runners 0\n") && !idle.contains(running), "\(idle)")
            try exporter.signal(.interrupt)
            #expect(try exporter.answer().code == 0)
            #expect(throws: (any Error).self) { try metrics(at: port) }
        }
    }
}
