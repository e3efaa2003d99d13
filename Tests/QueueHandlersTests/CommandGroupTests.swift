import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@Suite("The group of a command", .timeLimit(.minutes(10)))
struct CommandGroupTests {
    @Test(
        "A3 what a command leaves in its group is ended before the command is over, however it was",
        arguments: [
            ("exit 0", HandlerOutcome.success(result: nil)),
            ("exit 75", .failed(nil)),
            ("kill -KILL $$", .failed("killed by SIGKILL")),
        ])
    func ended(_ end: String, _ outcome: HandlerOutcome) async throws {
        try await Shell.withLockPath { lock in
            let heir = #"sleep 1000 & echo "{\"log\":\"$!\"}" >&3"#
            let shell = Shell("\(heir); \(end)", lock: lock)
            #expect(await shell.outcome == outcome)
            let log = shell.report.seen.log
            let number = try #require(log.first.flatMap { Int32($0) })
            #expect(!Self.goesOn(number))
            #expect(log.count == 2 && log.last?.hasPrefix("it left ") == true)
            #expect(
                log.last?.hasSuffix(" (pid \(number)) running in its group, told to end") == true)
            try #expect(!FileLock.isHeld(lock))
        }
    }

    @Test("A3 what does not hear TERM is killed 5 s later, and what it starts in the end as well")
    func deaf() async throws {
        try await Shell.withLockPath { lock in
            let deaf = "trap '' TERM; \(CommandStopTests.ready); (sleep 1000; sleep 1000)"
            let shell = Shell("\(deaf) & exit 0", lock: lock)
            let before = SystemClock.monotonicNanoseconds()
            #expect(await shell.outcome == .success(result: nil))
            let seconds = Double(SystemClock.monotonicNanoseconds() - before) / 1e9
            #expect(seconds >= 5)
            let log = shell.report.seen.log
            #expect(log.count == 3 && log.first == "ready", "\(log)")
            #expect(log.last?.hasSuffix(" in its group did not end and was killed") == true)
            try #expect(!FileLock.isHeld(lock))
        }
    }

    @Test("A6 what a stopped command leaves of its group is killed by the last means")
    func stopped() async throws {
        try await Shell.withLockPath { lock in
            let stubborn = "(trap '' TERM; \(CommandStopTests.ready); sleep 1000; sleep 1000)"
            let shell = Shell("\(stubborn) & trap 'echo out; exit 0' TERM; wait", lock: lock)
            await shell.report.logged("ready")
            shell.running.stop()
            shell.running.kill()
            _ = await shell.outcome
            try #expect(!FileLock.isHeld(lock))
        }
    }

    @Test("A3 what is to outlive its command leaves the group with setsid")
    func setsid() async throws {
        let shell = Shell(CommandStopTests.leave)
        let number = try #require(await shell.result.flatMap { Int32($0.dropLast()) })
        #expect(Self.goesOn(number) && shell.report.seen.log.isEmpty)
        _ = await Shell.run("kill -KILL \(number)")
    }

    /// Whether a process runs. A zombie may remain in the list until reaped.
    private static func goesOn(_ number: Int32) -> Bool {
        let bytes = (try? Files.read("/proc/\(number)/stat", limitBytes: 4096)) ?? []
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.count else {
            return false
        }
        return bytes[end + 2] != UInt8(ascii: "Z") && bytes[end + 2] != UInt8(ascii: "X")
    }
}
