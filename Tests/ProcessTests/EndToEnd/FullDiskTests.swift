import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

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

    @Test("A5 a file size limit is named as it ends a command, and no acknowledged task is lost")
    func fileSizeLimit() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let script = """
                ulimit -f 300; count=0
                while "$0" enqueue q t "$(head -c 4000 /dev/zero | tr '\\0' 7)" --quiet; do
                    count=$((count + 1)); [ $count -lt 500 ] || break
                done
                echo $count
                """
            let answer = try place.start("bash", ["-c", script, BuiltProgram.path()]).answer()
            #expect(answer.errors.contains("file size limit of this process"), "\(answer)")
            let count = Int(answer.output.filter(\.isNumber)) ?? 0
            #expect(count > 0 && count < 500, "\(answer)")
            let waiting = try place.queue("q")["counts"]?["waiting"]?.integer ?? 0
            // The limit may end a command after its commit.
            #expect([count, count + 1].contains(Int(waiting)))
        }
    }

    /// A store on a disk that is full at its creation, and one that fills up later.
    private static let storeScript = """
        mount -t tmpfs -o size=2m none "$0" && cd "$0" || exit 9
        export SLUICE_STORE=./sluice.db
        "$1" enqueue q t --quiet || exit 8
        head -c 4000000 /dev/zero >filler 2>/dev/null
        "$1" enqueue q t --json; echo $? >&2
        "$1" queues --json >/dev/null; echo $? >&2
        rm filler; "$1" enqueue q t --json; echo $? >&2
        "$1" doctor --quiet; echo $? >&2
        mount -o remount,ro "$0"
        "$1" enqueue q t --json; echo $? >&2
        "$1" list q --json | grep -o '"id":[0-9]*'
        """

    @Test("P2 a full disk is called full, not damaged, and one for reading only what it is")
    func store() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try place.makeFolder("disk")
            let words = ["-rm", "sh", "-c", Self.storeScript, place.file("disk")]
            let answer = try place.start("unshare", words + [BuiltProgram.path()]).answer()
            let lines = answer.errors.split(separator: "\n").map(String.init)
            #expect(lines.count == 8, "\(answer)")
            let full = #"{"error":{"code":"diskFull","message":"the disk of ./sluice.db is full"#
            #expect(lines.first?.hasPrefix(full) == true, "\(answer)")
            let codes = lines.filter { !$0.hasPrefix("{") }
            #expect(codes == ["1", "1", "0", "0", "2"], "\(answer)")
            #expect(lines.contains { $0.contains("mounted read-only") }, "\(answer)")
            #expect(answer.output.contains("\"id\":2") && !answer.output.contains("\"id\":3"))
        }
    }

    /// A worker whose log would fill the disk.
    private static let logScript = #"""
        mount -t tmpfs -o size=1500k none "$0" && cd "$0" || exit 9
        export SLUICE_STORE=./sluice.db
        echo '{"handlers": {"t": {"simulate": {"duration": "0s"}}}}' >h.json
        for i in $(seq 250); do echo '{"type": "t"}'; done >lines
        "$1" enqueue q --jsonl lines --quiet || exit 8
        "$1" queue set q --concurrency 8 --quiet || exit 7
        "$1" work --handlers h.json --until-empty --quiet; echo $? >&2
        "$1" queues --json
        """#

    @Test("P2 the log of a store does not fill a disk that has room for the store")
    func log() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try place.makeFolder("disk")
            let words = ["-rm", "sh", "-c", Self.logScript, place.file("disk")]
            let answer = try place.start("unshare", words + [BuiltProgram.path()]).answer()
            #expect(answer.errors == "0\n", "\(answer)")
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
    /// Whether private mounts are possible here.
    static let ownMounts: Bool = {
        guard let place = try? Workplace(), (try? place.makeFolder("disk")) != nil else {
            return false
        }
        let words = ["-rm", "mount", "-t", "tmpfs", "none", place.file("disk")]
        return (try? place.start("unshare", words).answer().code) == 0
    }()
}
