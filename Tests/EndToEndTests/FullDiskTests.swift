import Platform
import ProgramHarness
import QueueModel
import Testing
import WebHarness

/// A worker whose downloads go to a disk of 3 MiB that only it sees.
@Suite("end to end: full disk", .enabled(if: Tool.ownMounts))
struct FullDiskTests {
    private static let script = """
        mount -t tmpfs -o size=3m none "$0" && head -c 2000000 /dev/zero > "$0/filler" && exec "$@"
        """

    @Test("S5 P2 a download that fills the disk pauses its queue uncounted, and later goes on")
    func download() async throws {
        try await Workplace.onOwnThread {
            let file = ServedFile(bytes: 2_500_000)
            let server = try ScriptedServer { try $0.serve(file) }
            let place = try Workplace.withStore()
            try place.makeFolder("disk")
            let worker = try Self.startWorker(place)
            // As the worker sees it.
            let disk = "/proc/\(worker.processID)/root\(place.file("disk"))"
            let payload = #"{"url":"\#(server.url("/"))","destination":"a.bin"}"#
            try place.json(["enqueue", "files", "fetch", payload])
            try place.wait(for: "the pause") {
                try place.queue("files")["pauses"]?.array?.isEmpty == false
            }
            let pause = try place.queue("files")["pauses"]?[0]
            #expect(pause?["cause"] == "handler")
            let reason = pause?["reason"]?.string ?? ""
            #expect(reason.contains("no space left on device"), "\(reason)")
            let task = try place.json(["show", "#1"])
            #expect(task["attempts"] == 0 && task["state"] == "waiting")
            let names = try Files.list(disk)
            let part = try #require(names.first { $0.hasSuffix(".part") })
            let there = try #require(try Files.status("\(disk)/\(part)")).sizeBytes
            #expect(there > 500_000 && there < file.bytes && !names.contains("a.bin"))
            try Files.remove("\(disk)/filler")
            try place.json(["resume", "files"])
            try place.json(["retry", "#1"])
            try place.wait(for: "the file") { Files.exists("\(disk)/a.bin") }
            #expect(try Files.read("\(disk)/a.bin", limitBytes: 1 << 22) == file.content)
            #expect(server.requests.map(\.rangeStart) == [nil, there])
            #expect(try Files.list(disk) == ["a.bin"])
            try worker.signal(.terminate)
            try place.expecting(0, worker.answer())
        }
    }

    private static func startWorker(_ place: Workplace) throws -> RunningProgram {
        try place.write(
            #"{"handlers":{"fetch":{"download":{"root":"disk"}}}}"#, to: "handlers.json")
        let words = ["work", "--handlers", place.file("handlers.json")]
        let worker = try place.start(
            "unshare",
            ["-rm", "sh", "-c", script, place.file("disk"), BuiltProgram.path()] + words)
        try place.wait(for: "a worker's attachment") {
            worker.errors.contains("is attached") || !worker.isRunning
        }
        return worker
    }
}

extension Tool {
    /// Whether a process may have mounts of its own.
    static let ownMounts: Bool = {
        guard let place = try? Workplace(), (try? place.makeFolder("disk")) != nil else {
            return false
        }
        let words = ["-rm", "mount", "-t", "tmpfs", "none", place.file("disk")]
        return (try? place.start("unshare", words).answer().code) == 0
    }()
}
