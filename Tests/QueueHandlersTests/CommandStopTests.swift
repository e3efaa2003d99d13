import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@Suite("Stopping a command, and its lock", .timeLimit(.minutes(10)))
struct CommandStopTests {
    /// Starts a process that leaves the group, and prints its number afterwards.
    static let leave = "p=$(setsid sh -c 'echo $$; exec sleep 1000 >&- 2>&- 3>&-' &); echo $p"
    static let ready = #"echo '{"log":"ready"}' >&3"#

    @Test("A6 stop is TERM, and a command that ends well then has succeeded")
    func stop() async {
        let polite = Shell("trap 'echo tidy; exit 0' TERM; \(Self.ready); sleep 1000 & wait")
        await polite.report.logged("ready")
        polite.running.stop()
        #expect(await polite.outcome == .success(result: Array("tidy\n".utf8)))
        let plain = Shell("\(Self.ready); exec sleep 1000")
        await plain.report.logged("ready")
        plain.running.stop()
        #expect(await plain.outcome == .failed("killed by SIGTERM"))
    }

    @Test("A6 a command that ignores TERM is killed, and ends once")
    func kill() async {
        let heard = #"trap 'echo "{\"log\":\"heard\"}" >&3' TERM"#
        let shell = Shell("\(heard); \(Self.ready); while :; do sleep 1000 & wait; done")
        await shell.report.logged("ready")
        shell.running.stop()
        await shell.report.logged("heard")
        shell.running.kill()
        shell.running.kill()
        #expect(await shell.outcome == .failed("killed by SIGKILL"))
        shell.running.stop()
        shell.running.kill()
        _ = await Shell.run("exit 0")
        #expect(shell.report.seen.outcomes.count == 1)
    }

    @Test("A2 the lock is held while the child lives, and by nobody afterwards")
    func lockOfChild() async throws {
        try await Shell.withLockPath { lock in
            let shell = Shell("\(Self.ready); exec sleep 1000", lock: lock)
            await shell.report.logged("ready")
            try #expect(FileLock.isHeld(lock))
            shell.running.kill()
            _ = await shell.outcome
            try #expect(!FileLock.isHeld(lock))
        }
    }

    @Test("A3 the lock is held as long as what left the group lives")
    func lockOfGrandchild() async throws {
        try await Shell.withLockPath { lock in
            let shell = Shell("\(Self.leave)", lock: lock)
            let heir = try #require(await shell.result).dropLast()
            try #expect(FileLock.isHeld(lock))
            _ = await Shell.run("kill -KILL \(heir)")
            await Shell.waitUntilFree(lock)
            try #expect(!FileLock.isHeld(lock))
        }
    }

    @Test("A6 kill reaches grandchildren")
    func killGroup() async throws {
        try await Shell.withLockPath { lock in
            let stubborn = "(trap '' TERM; \(Self.ready); sleep 1000; sleep 1000)"
            let shell = Shell("\(stubborn) & wait", lock: lock)
            await shell.report.logged("ready")
            shell.running.kill()
            #expect(await shell.outcome == .failed("killed by SIGKILL"))
            await Shell.waitUntilFree(lock)
        }
    }

    @Test("A2 an attempt whose lock another holds is not started")
    func takenLock() async throws {
        try await Shell.withLockPath { path in
            let lock = try #require(try FileLock.tryLock(path))
            let shell = Shell("exit 0", lock: path)
            let outcome = await shell.outcome
            #expect(outcome.error?.contains(path) == true && shell.report.seen.childID == nil)
            lock.release()
        }
    }
}
