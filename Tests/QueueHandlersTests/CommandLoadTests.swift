import SluiceModel
import SluiceRunner
import SluiceSystem
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
        for number in 0..<100 {
            let shell = await Shell.run("echo \(number)")
            #expect(await shell.result == "\(number)\n")
        }
        print("one command after the other: \((clock.now - begin) / 100) each")
    }

    @Test("A1 nothing of a command that has ended stays open")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try await Shell.withLockPath { lock in
                let before = await Self.openDescriptors()
                for number in 0..<20 {
                    _ = await Shell("exit \(number)", payload: [1], lock: lock).outcome
                }
                _ = await Shell.run("no-such-command")
                let after = await Self.openDescriptors()
                #expect(before == after && before.contains("pipe:[]"))
            }
        }
    }

    /// The open descriptors of this process by kind. Omits the event queue, timers and kernel files
    /// of Swift's runtime, which its threads open at arbitrary times.
    private static func openDescriptors() async -> [String] {
        // The command has reported, so descriptors of its start are closed.
        let list = "for one in /proc/$PPID/fd/*; do readlink $one; done; exit 0"
        let shell = Shell("trap '\(list)' TERM; \(CommandStopTests.ready); sleep 1000 & wait")
        await shell.report.logged("ready")
        shell.running.stop()
        let runtime = ["eventpoll]", "eventfd]", "timerfd]"].map { "anon_inode:[\($0)" }
        return (await shell.result ?? "").split(separator: "\n").map(String.init)
            .filter { !runtime.contains($0) && !$0.hasPrefix("/proc/") && !$0.hasPrefix("/sys/") }
            .map { String($0.filter { !$0.isNumber }) }.sorted()
    }
}
