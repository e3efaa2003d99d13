import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The output of running commands, read by another process.
@Suite("end to end: output of running commands")
struct LogsTests {
    /// A store whose tasks of the type `job` run a shell script, and its worker.
    private func begin(
        _ place: Workplace, _ script: String, _ words: [String] = []
    ) throws -> RunningProgram {
        let command: JSONValue = ["command": ["/bin/sh", "-c", .string(script)]]
        let handlers: JSONValue = ["handlers": ["job": command]]
        try place.write(handlers.text, to: "handlers.json")
        try place.json(["queue", "set", "mail", "--keep-finished", "9"])
        try place.json(["enqueue", "mail", "job"])
        return try place.start(["work", "--handlers", place.file("handlers.json")] + words)
    }

    /// Waits for the kept output. Its files wake no wait.
    private func wait(_ place: Workplace, until condition: (String) -> Bool) throws {
        try place.wait(for: "the output", isPolled: true) {
            let parts = files(place).map { "\(place.store)-run/output/\($0)" }
            let bytes = parts.flatMap { (try? Files.read($0, limitBytes: 1 << 20)) ?? [] }
            return condition(String(decoding: bytes, as: UTF8.self))
        }
    }

    private func files(_ place: Workplace) -> [String] {
        (try? Files.list("\(place.store)-run/output")) ?? []
    }

    @Test("logs prints the last lines; -f continues and ends with the attempt")
    func follow() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let worker = try begin(
                place,
                """
                seq 1 200; printf '\\033]0;title\\007 \\033[31mred\\033[0m half'
                while [ ! -e go ]; do sleep 0.02; done
                echo; echo later; printf 'the end' >&2; exit 65
                """)
            try wait(place) { $0.hasSuffix("half") }
            let last = try place.expecting(0, place.sluice(["logs", "#1", "-n", "2"]))
            #expect(last.output == "200\n␛]0;title␇ red half\n")
            #expect(try place.sluice(["logs", "1"]).output.split(separator: "\n").count == 50)
            let json = try place.json(["logs", "1", "-n", "1"])
            #expect(json["output"]?.string == "\u{1B}]0;title\u{7} \u{1B}[31mred\u{1B}[0m half")
            #expect(json["attempt"] == 1 && json["cut"] == true && json["printedAt"] != .null)
            let follower = try place.start(["logs", "1", "-f", "-n", "2"])
            try place.wait(for: "its begin") { follower.output.hasSuffix("half") }
            try place.touch("go")
            let answer = try place.expecting(0, follower.answer())
            #expect(answer.output == "200\n␛]0;title␇ red half\nlater\nthe end\n")
            #expect(
                answer.errors
                    == "sluice: attempt 1 of #1 has ended (giveUp); sluice show 1 has its result "
                    + "and log\n")
            #expect(files(place).isEmpty)
            let ended = try place.expecting(1, place.sluice(["logs", "1"]))
            #expect(ended.errors.contains("#1 does not run"), "\(ended)")
            #expect(ended.errors.contains("sluice show '#1'"), "\(ended)")
            try worker.signal(.terminate)
            try worker.answer()
        }
    }

    @Test("a command that prints nothing, and a task that does not run, are answered as such")
    func nothing() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let worker = try begin(place, "touch ready; while [ ! -e go ]; do sleep 0.02; done")
            try place.wait(for: "the command") { Files.exists(place.file("ready")) }
            let silent = try place.expecting(0, place.sluice(["logs", "1"]))
            #expect(silent.output.isEmpty && silent.errors.contains("attempt 1 of #1"), "\(silent)")
            #expect(try place.json(["logs", "1"])["output"] == "")
            try place.expecting(1, place.sluice(["logs", "7"]))
            try place.touch("go")
            try worker.signal(.terminate)
            try worker.answer()
        }
    }

    @Test("A2 output of a killed worker ends the follower, and the next worker removes its files")
    func killed() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let worker = try begin(place, "echo one; exec sleep 600")
            try wait(place) { $0 == "one\n" }
            let follower = try place.start(["logs", "1", "-f"])
            try place.wait(for: "the follower") { follower.output == "one\n" }
            try worker.signal(.kill)
            try worker.answer()
            let answer = try place.expecting(0, follower.answer())
            #expect(answer.errors.contains("has lost its worker"), "\(answer)")
            let left = files(place)
            #expect(left.count == 1)
            let next = try place.start(["work", "--handlers", place.file("handlers.json")])
            try place.wait(for: "the cleanup", isPolled: true) {
                Set(files(place)).isDisjoint(with: left)
            }
            try next.signal(.terminate)
            try next.answer()
        }
    }

    @Test(
        "P2 a full disk under the output loses the output, not the attempt",
        .enabled(if: Tool.ownMounts))
    func fullDisk() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let program = try BuiltProgram.path()
            let logs = "\(program) logs 1 --store \(place.store)"
            let script = """
                head -c 300000 /dev/zero >&2
                until ls \(place.store)-run/output | grep -q lost; do sleep 0.02; done
                \(logs) 2>\(place.file("told")); \(logs) --json >\(place.file("json"))
                echo result
                """
            let handlers: JSONValue = [
                "handlers": ["job": ["command": ["/bin/sh", "-c", .string(script)]]]
            ]
            try place.write(handlers.text, to: "handlers.json")
            try place.json(["queue", "set", "mail", "--keep-finished", "9"])
            try place.json(["enqueue", "mail", "job"])
            let wrapper = """
                run="$1-run/output" && mkdir -m 700 "$run" &&
                mount -t tmpfs -o size=16k,mode=700 none "$run" &&
                exec "$2" work --handlers "$3" --until-empty
                """
            let words = ["-rm", "sh", "-c", wrapper, "sh", place.store]
            let worker = try place.start(
                "unshare", words + [BuiltProgram.path(), place.file("handlers.json")])
            try place.expecting(0, worker.answer())
            let task = try place.json(["show", "1"])
            #expect(task["state"] == "succeeded", "\(task)")
            let log = task["attemptLog"]?[0]?["log"]?.array?.compactMap(\.string) ?? []
            #expect(log.contains { $0.contains("is not shown while it runs: ") }, "\(log)")
            #expect(log.contains { $0.contains("no space left on device") }, "\(log)")
            func read(_ name: String) throws -> String {
                let bytes = try Files.read(place.file(name), limitBytes: 1 << 16)
                return String(decoding: bytes, as: UTF8.self)
            }
            let sentence =
                "cannot write \(place.store)-run/output: no space left on device (error 28)"
            #expect(
                try read("told") == "sluice: the output of attempt 1 of #1 is not kept: "
                    + "\(sentence); free space there for the output of the next attempt\n")
            let json = try JSONValue.parse(Array(read("json").utf8))
            #expect(json["notKept"] == .string(sentence) && json["cut"] == true, "\(json)")
        }
    }
}
