import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker that a service manager started (sd_notify).
@Suite("end to end: a service")
struct NotifyTests {
    @Test("a service manager is told that a worker is ready, lives, works, is troubled and stops")
    func told() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let env = #"{"command":["sh","-c","env > env.txt"]}"#
            try place.write(
                #"{"handlers":{"env":\#(env),"*":{"simulate":{}}}}"#, to: "handlers.json")
            let manager = try NotifySocket(path: place.file("notify"))
            let worker = try place.start(
                ["work", "--handlers", place.file("handlers.json")],
                environment: ["NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=200000"])
            try manager.wait(for: "the beginning") { $0.contains("READY=1") }
            try manager.wait(for: "signs of life") { lines in
                lines.count { $0 == "WATCHDOG=1" } >= 3
            }
            try place.json(["enqueue", "q", "env"])
            try place.json(["enqueue", "q", "t"])
            try manager.wait(for: "the executions") {
                $0.contains("STATUS=worker 1 works: 0 running, 2 ended")
            }
            let inherited = place.text("env.txt")
            #expect(inherited.contains("SLUICE_TASK_ID="))
            #expect(!inherited.contains("NOTIFY_SOCKET") && !inherited.contains("WATCHDOG"))
            try worker.signal(.terminate)
            #expect(try worker.answer().code == 0)
            let lines = try manager.wait(for: "the end") { $0.contains("STOPPING=1") }
            #expect(lines.count { $0 == "READY=1" } == 1)
            #expect(lines.count { $0 == "STOPPING=1" } == 1)
            #expect(lines.last { $0.hasPrefix("STATUS=") }?.contains("worker 1 stops") == true)
        }
    }

    @Test("no sign of life is given that nobody asked for, and an abstract address is understood")
    func unwatched() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            let manager = try NotifySocket(path: "@\(place.path)")
            let words = ["work", "--handlers", place.file("handlers.json"), "--until-empty"]
            for watchdog in [[], ["WATCHDOG_USEC=1000", "WATCHDOG_PID=1"]] {
                let worker = try place.start(
                    words, environment: ["NOTIFY_SOCKET=\(manager.path)"] + watchdog)
                #expect(try worker.answer().code == 0)
            }
            let lines = try manager.wait(for: "both ends") { lines in
                lines.count { $0 == "STOPPING=1" } == 2
            }
            #expect(lines.count { $0 == "READY=1" } == 2)
            #expect(!lines.contains("WATCHDOG=1"))
        }
    }

    @Test("a service manager that is not there is said, and the worker works")
    func absent() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            let words = ["work", "--handlers", place.file("handlers.json"), "--until-empty"]
            let address = place.file("nobody")
            let answer = try place.sluice(words, environment: ["NOTIFY_SOCKET=\(address)"])
            #expect(answer.code == 0)
            #expect(answer.errors.contains("$NOTIFY_SOCKET: cannot connect to \(address)"))
        }
    }
}
