import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// One large file on its way, down or up, whose connection is cut five times and whose worker is
/// killed twice: 1 GiB with `SLUICE_SOAK=1`, else 8 MiB.
@Suite("crash: large transfers", .serialized)
struct TransferKillTests {
    @Test("S5 A2 P2 a download cut five times, its worker killed twice: all bytes, one placing")
    func download() async throws {
        try await Workplace.onOwnThread {
            let trial = try TransferTrial()
            let server = try trial.download()
            let watch = try DirectoryWatch(trial.place.file("downloads"))
            let workers = try trial.carry(
                "fetch", #"{"url":"\#(server.url("/"))","destination":"big.bin"}"#)
            let events = try watch.drain()
            let placings = events.count { $0.name == "big.bin" && $0.kinds.contains(.movedIn) }
            #expect(placings == 1 && !events.contains { $0.kinds.contains(.overflow) })
            #expect(try Files.list(trial.place.file("downloads")) == ["big.bin"])
            let starts = server.requests.map { $0.rangeStart ?? 0 }
            #expect(starts.count == 8 && starts == starts.sorted() && starts[1] > 0)
            #expect(try trial.outcomes() == ["lost", "lost", "success"])
            let sums = try trial.sums("downloads/big.bin")
            #expect(sums.0 == sums.1)
            let places = starts.map(SizeText.short).joined(separator: ", ")
            print("download: \(trial.summary(workers)); asked from \(places); \(placings) placing")
            print("download: SHA-256 \(sums.1)")
        }
    }

    @Test("S5 A2 PN-17 an upload cut five times, its worker killed twice: sent again, all bytes")
    func upload() async throws {
        try await Workplace.onOwnThread {
            let trial = try TransferTrial()
            let server = try trial.upload()
            let workers = try trial.carry(
                "send", #"{"url":"\#(server.url("/"))","source":"reference.bin"}"#)
            #expect(server.requests.count == 8)
            let each = server.requests.map(\.bodyBytes)
            #expect(each.allSatisfy { $0 == trial.file.bytes })
            let keys = Set(server.requests.map { $0.headers["idempotency-key"] })
            #expect(keys.count == 1)
            let outcomes = try trial.outcomes()
            #expect(outcomes.count { $0 == "lost" } == 2 && outcomes.count == 8)
            #expect(outcomes.count { $0 == "retry" } == 5 && outcomes.last == "success")
            let sums = try trial.sums("received.bin")
            #expect(sums.0 == sums.1)
            let all = SizeText.short(trial.takenBytes)
            print("upload: \(trial.summary(workers)); begun 8 times, \(all) taken in all")
            print("upload: SHA-256 \(sums.1)")
        }
    }
}

/// The file, its server and the workers that carry it.
final class TransferTrial: Sendable {
    /// The failure after each eighth of the file, except the last.
    private static let mishaps = "cckcckc"

    /// How much memory a worker had: at its start, and at most.
    typealias Memory = (idleKiB: Int, peakKiB: Int)

    let place: Workplace
    let file: ServedFile
    private let begin = SystemClock.monotonicNanoseconds()
    private let past = Protected(0)
    private let taken = Protected<Int64>(0)

    init() throws {
        place = try Workplace.withStore()
        file = ServedFile(bytes: Int64(Soak.count(8, soak: 1024)) << 20)
        try place.makeFolder("downloads")
        let reference = try FileDescriptor(
            opening: place.file("reference.bin"), flags: OpenFlags.append)
        try file.write(to: reference)
        try place.write(
            """
            {"handlers": {"fetch": {"download": {"root": "downloads"}},
                "send": {"upload": {"root": "."}}}}
            """, to: "handlers.json")
        try place.json([
            "queue", "set", "files", "--retry", "fixed(0s)", "--attempts", "none",
            "--keep-finished", "9",
        ])
    }

    /// How much of all bodies the server has read.
    var takenBytes: Int64 { taken.withLock { $0 } }

    func download() throws -> ScriptedServer {
        try ScriptedServer { [self] talk in
            guard let start = try talk.begin(file) else { return }
            guard let (mishap, end) = nextMishap() else {
                return try talk.send(file, start..<file.bytes)
            }
            try talk.send(file, min(start, end)..<end)
            guard mishap == "k" else { return talk.cut() }
            place.append("kill\n", to: "kills")
            // The rest comes in drops until the client is no more.
            for drop in stride(from: max(start, end), to: end + file.bytes / 16, by: 4096) {
                try talk.send(file, drop..<drop + 4096)
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
            }
            try talk.waitUntilGone()
        }
    }

    /// A server that takes the file.
    func upload() throws -> ScriptedServer {
        try ScriptedServer { [self] talk in
            guard let (mishap, end) = nextMishap() else {
                let target = try FileDescriptor(
                    opening: place.file("received.bin"), flags: OpenFlags.append)
                try read(talk, file.bytes) { try target.writeAll($0) }
                return try talk.answer(201)
            }
            try read(talk, end)
            guard mishap == "k" else { return talk.cut() }
            place.append("kill\n", to: "kills")
            // Read the rest slowly until the client is dead.
            try talk.dawdle()
        }
    }

    private func read(
        _ talk: Talk, _ limit: Int64, into sink: ([UInt8]) throws -> Void = { _ in }
    ) throws {
        var bytes: Int64 = 0
        while bytes < limit, let some = try talk.readSome() {
            try sink(some)
            bytes += Int64(some.count)
        }
        taken.withLock { $0 += bytes }
    }

    /// The failure of the next answer, and its place.
    private func nextMishap() -> (Character, end: Int64)? {
        let index = past.withLock { past -> Int in
            past += 1
            return past - 1
        }
        guard index < Self.mishaps.count else { return nil }
        return (Array(Self.mishaps)[index], file.bytes / 8 * Int64(index + 1))
    }

    /// Has a task done by a worker that is killed when the server says so; gives the workers'
    /// memory.
    func carry(_ type: String, _ payload: String) throws -> [Memory] {
        var workers: [Memory] = []
        var worker = try place.startWorker(["--quiet"])
        var idle = try ProcessUse(of: worker.processID).peakKiB
        try place.json(["enqueue", "files", type, payload])
        for kill in 1...2 {
            try place.wait(for: "kill \(kill)") {
                place.text("kills").split(separator: "\n").count == kill
            }
            workers.append((idle, try ProcessUse(of: worker.processID).peakKiB))
            try worker.signal(.kill)
            try worker.answer()
            worker = try place.startWorker(["--quiet"])
            idle = try ProcessUse(of: worker.processID).residentKiB
        }
        try place.wait(for: "the transfer") { try place.count("files", "succeeded") == 1 }
        workers.append((idle, try ProcessUse(of: worker.processID).peakKiB))
        try worker.signal(.terminate)
        try place.expecting(0, worker.answer())
        for memory in workers { #expect(memory.peakKiB < 64 << 10, "\(memory)") }
        return workers
    }

    /// How the executions of the task ended, in their order.
    func outcomes() throws -> [String] {
        let log = try place.json(["show", "#1"])["attemptLog"]?.array ?? []
        return log.compactMap { $0["outcome"]?.string }
    }

    /// The SHA-256 of the file as it should be, and of another.
    func sums(_ name: String) throws -> (Substring, Substring) {
        let answer = try place.start("sha256sum", ["reference.bin", name]).answer()
        let words = answer.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
        return (words.first ?? "", words.last ?? "none")
    }

    func summary(_ workers: [Memory]) -> String {
        let seconds = Double(SystemClock.monotonicNanoseconds() - begin) / 1e9
        let peaks = workers.map { "\($0.idleKiB >> 10) to \($0.peakKiB >> 10)" }
        return "\(SizeText.short(file.bytes)), 5 cuts, 2 workers killed, "
            + "\((seconds * 10).rounded() / 10) s; memory (MiB, VmHWM) \(peaks)"
    }
}
