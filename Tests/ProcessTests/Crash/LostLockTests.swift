import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Removes the folder of locks while processes are attached (A2).
@Suite("crash: locks that are gone")
struct LostLockTests {
    @Test("A2 no worker is taken for dead because its lock's file is gone, and each makes it anew")
    func removed() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json([
                "queue", "set", "mail", "--concurrency", "2", "--retry", "fixed(0s)",
                "--keep-finished", "99",
            ])
            let workers = try (0..<2).map { _ in try place.startWorker(["--slots", "1"]) }
            let slow = try place.enqueue(
                "mail", payloads: Array(repeating: #"{"wait":"go"}"#, count: 2))
            try place.wait(for: "both tasks") { place.testimony.count("ready") == 2 }
            // Live processes may write to the folder during its removal.
            try place.wait(for: "the folder to be gone", isPolled: true) {
                (try? Files.removeTree("\(place.store)-run")) != nil
            }
            for worker in workers {
                try place.wait(for: "its new lock", isPolled: true) {
                    worker.errors.contains("was removed or replaced, and is made anew")
                }
            }
            let more = try place.enqueue("mail", count: 5)
            try place.touch("go")
            try place.wait(for: "all of them", isPolled: true) {
                try place.count("mail", "succeeded") == 7
            }
            let once = Dictionary(uniqueKeysWithValues: (slow + more).map { ($0, 1) })
            #expect(place.testimony.tally("start") == once)
            let runners = try place.json(["runners"])["runners"]?.array ?? []
            #expect(runners.count == 2 && runners.allSatisfy { $0["alive"] == true })
        }
    }

    @Test("A2 a worker that made its lock anew is dead as soon as it is killed")
    func killed() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--retry", "fixed(0s)"])
            let worker = try place.startWorker(["--slots", "1"])
            let task = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#])[0]
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            try place.wait(for: "the folder to be gone", isPolled: true) {
                (try? Files.removeTree("\(place.store)-run")) != nil
            }
            try place.wait(for: "its new lock", isPolled: true) {
                worker.errors.contains("was removed or replaced, and is made anew")
            }
            try worker.signal(.kill)
            _ = try worker.answer()
            #expect(try place.json(["show", "#\(task)"])["display"] == "stuck")
            let next = try place.startWorker(["--slots", "1"])
            try place.wait(for: "its second execution") { place.testimony.count("ready") == 2 }
            try place.touch("go")
            try place.wait(for: "its end", isPolled: true) {
                try place.count("mail", "waiting") == 0
                    && place.testimony.count("end") == 1
            }
            #expect(place.testimony.count("overlap") == 0)
            try place.dismiss([next])
        }
    }
}
