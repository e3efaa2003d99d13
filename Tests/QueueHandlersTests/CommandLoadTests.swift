import Platform
import QueueModel
import QueueRunner
import Testing

@Suite("Many commands", .timeLimit(.minutes(10)), .serialized)
struct CommandLoadTests {
    @Test("A1 200 commands at once run side by side and each ends as it should")
    func many() async {
        let clock = ContinuousClock()
        let begin = clock.now
        let shells = (0..<200).map { number in
            Shell("echo \(number); echo '{\"log\":\"ready\"}' >&3; exec sleep 1000")
        }
        for shell in shells { await shell.report.logged("ready") }
        print("200 commands started together: \(clock.now - begin)")
        for (number, shell) in shells.enumerated() {
            number.isMultiple(of: 2) ? shell.running.stop() : shell.running.kill()
        }
        var outcomes: [HandlerOutcome] = []
        for shell in shells { outcomes.append(await shell.outcome) }
        print("and ended: \(clock.now - begin)")
        let expected = (0..<200).map { number in
            HandlerOutcome.failed(
                number.isMultiple(of: 2) ? "killed by SIGTERM" : "killed by SIGKILL")
        }
        #expect(outcomes == expected)
    }

    @Test("A1 one command after the other")
    func sequence() async {
        let clock = ContinuousClock()
        let begin = clock.now
        for _ in 0..<100 { _ = await Shell.run("exit 0") }
        print("one command after the other: \((clock.now - begin) / 100) each")
    }

    @Test("A1 nothing of a command that has ended stays open")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try await Shell.withLockPath { lock in
                _ = await Shell.run("exit 0")
                let before = try Files.list("/proc/self/fd")
                for number in 0..<20 {
                    _ = await Shell("exit \(number)", payload: [1], lock: lock).outcome
                }
                _ = await Shell.run("no-such-command")
                let after = try Files.list("/proc/self/fd")
                #expect(before == after)
            }
        }
    }
}
