import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker as the first process of a container.
@Suite("end to end: the first process")
struct FirstProcessTests {
    /// Whether a container with separate process numbers is possible here.
    static let canBeFirst: Bool = {
        guard
            let child = try? ChildProcess.spawn(
                Spawn(
                    "unshare", ["-p", "-f", "--mount-proc", "true"],
                    environment: ["PATH=/usr/bin:/bin:/usr/sbin:/sbin"])),
            (try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)) != nil
        else { return false }
        return (try? child.reap()) == .code(0)
    }()

    @Test(
        "A3 a worker that is the first process waits for what its handlers leave behind",
        .enabled(if: canBeFirst))
    func orphans() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            // It leaves a process in another session that outlives the command.
            let left = "setsid bash -c 'echo $$ > left; exec 40>&-; read x < go' > /dev/null 2>&1 &"
            try place.write(
                """
                {"handlers":{"leave":{"command":["sh","-c","mkfifo go; \(left) \
                until [ -s left ]; do :; done"]},
                "look":{"command":["sh","-c","echo x > go; n=$(cat left); \
                while [ -e /proc/$n ]; do :; done"],"timeout":"60s"}}}
                """, to: "handlers.json")
            for type in ["leave", "look"] {
                try place.expecting(0, place.sluice(["enqueue", "mail", type, "{}"]))
            }
            let words = ["work", "--handlers", place.file("handlers.json"), "--until-empty"]
            let first = try place.start(
                "unshare", ["-p", "-f", "--kill-child", "--mount-proc", place.program] + words)
            let answer = try first.answer()
            #expect(answer.code == 0, "\(answer)")
            let ends = answer.output.split(separator: "\n").filter { $0.contains("succeeded") }
            #expect(ends.count == 2, "\(answer)")
        }
    }
}
