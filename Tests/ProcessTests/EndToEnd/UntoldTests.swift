import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Processes of a user without free inotify instances, in a user namespace with a separate limit.
@Suite("end to end: no watch left")
struct UntoldTests {
    /// Runs the command with this number of instances, and with more once the file `more` exists.
    private static let script = """
        echo "$1" > /proc/sys/user/max_inotify_instances || exit 99
        shift
        "$@" & child=$!
        trap 'kill -TERM $child' TERM
        (until [ -e more ]; do kill -0 $child || exit; sleep 0.05; done
         echo 99 > /proc/sys/user/max_inotify_instances) &
        while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
        exit $code
        """

    private func start(
        _ place: Workplace, instances: Int, _ words: [String]
    ) throws -> RunningProgram {
        try place.start(
            "unshare",
            ["-Ur", "sh", "-c", Self.script, "sh", "\(instances)", try BuiltProgram.path()] + words)
    }

    /// Whether this machine lets a user make such a namespace.
    private static let isAllowed: Bool = {
        let place = try? Workplace()
        let words = ["-Ur", "sh", "-c", "echo 9 > /proc/sys/user/max_inotify_instances"]
        return (try? place?.start("unshare", words).answer().code) == 0
    }()

    @Test(
        "A2 a worker without a watch polls each second, says so, and is told again later",
        .enabled(if: isAllowed, "no namespaces of users here"))
    func worker() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            try place.json(["queue", "set", "mail", "--keep-finished", "9"])
            let worker = try start(
                place, instances: 0, ["work", "--handlers", place.file("handlers.json")])
            try place.wait(for: "its word") {
                worker.errors.contains("checked each second") || !worker.isRunning
            }
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "the first task") { try place.count("mail", "succeeded") == 1 }
            try place.touch("more")
            try place.wait(for: "its watch") { worker.errors.contains("is watched again") }
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "the second task") { try place.count("mail", "succeeded") == 2 }
            try worker.signal(.terminate)
            #expect(try worker.answer().code == 0, "\(worker.errors)")
        }
    }

    @Test(
        "A2 one instance is enough for a worker, and for a follower of the log",
        .enabled(if: isAllowed, "no namespaces of users here"))
    func one() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            let worker = try start(
                place, instances: 1, ["work", "--handlers", place.file("handlers.json")])
            let follower = try start(place, instances: 1, ["log", "--follow"])
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "the task's line") { follower.output.contains("succeeded") }
            #expect(!worker.errors.contains("each second"))
            #expect(!follower.errors.contains("each second"))
            try worker.signal(.terminate)
            #expect(try worker.answer().code == 0)
            try follower.signal(.terminate)
        }
    }
}
