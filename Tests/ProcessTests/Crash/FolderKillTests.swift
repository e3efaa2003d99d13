import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Programs at a Customer.io folder that are killed, and a program that knows nothing of them.
@Suite("crash: folders", .serialized)
struct FolderKillTests {
    /// The operation killed at each of its points.
    enum Way: String, CaseIterable, Sendable {
        /// The first change, which makes `sluice.db`.
        case firstChange
        case worker
        case deletion

        func words(_ folder: String) -> [String] {
            switch self {
            case .firstChange: FolderKillTests.settings(folder)
            case .worker: FolderKillTests.work(folder)
            case .deletion: ["delete", "--filter", "queue:site", "--yes", "--store", folder]
            }
        }
    }

    private static let tasks = [
        CustomerTask(1, "identify", start: "g"), CustomerTask(2, "track", members: ["g"]),
        CustomerTask(3, #"a\/b"#), CustomerTask(4, "push", start: "h", members: ["g"]),
    ]

    private static func settings(_ folder: String) -> [String] {
        [
            "queue", "set", "site", "--start", "continuous", "--keep-finished", "10000",
            "--store", folder, "--quiet",
        ]
    }

    private static func work(_ folder: String) -> [String] {
        ["work", "--until-empty", "--quiet", "--handlers", "handlers.json", "--store", folder]
    }

    @Test(
        "P2 P6 CIO-90 CIO-91 killed at any change, commit or file, nothing of a folder is lost",
        arguments: Way.allCases)
    func points(_ way: Way) async throws {
        try await Workplace.onOwnThread {
            let stride = Soak.count(way == .worker ? 13 : 5, soak: 1)
            var (point, kills) = (1, 0)
            while true {
                let place = try Workplace()
                try place.employWitness()
                let folder = try place.makeCustomerFolder("site", Self.tasks)
                if way != .firstChange {
                    try place.expecting(0, place.sluice(Self.settings(folder)))
                }
                let answer = try place.sluice(
                    way.words(folder), environment: ["SLUICE_TEST_KILL=\(point)"])
                let after = try FolderInspection(folder)
                #expect(after.faults == [], "point \(point)")
                if answer.code == 0 { break }
                #expect(answer.exit == .signal(.kill), "point \(point): \(answer)")
                guard answer.exit == .signal(.kill) else { return }
                kills += 1
                try Self.goOn(place, folder, way, "point \(point)")
                point += stride
            }
            print("points of a folder: \(way.rawValue) killed \(kills) times, \(point) points long")
            #expect(kills > 2)
        }
    }

    /// Recovers after the kill: every task must run, at most once more.
    private static func goOn(
        _ place: Workplace, _ folder: String, _ way: Way, _ point: String
    ) throws {
        let store = ["--store", folder]
        if way == .deletion {
            let left = try place.list(["site"] + store).count
            #expect(left == 0 || left == tasks.count, "\(point)")
            let trash = ["undelete", "--filter", "queue:site state:deleted", "--yes"]
            if left == 0 { try place.json(trash + store) }
        }
        try place.expecting(0, place.sluice(settings(folder)))
        try place.expecting(0, place.sluice(work(folder)))
        let told = place.testimony
        #expect(told.tally("end").count == tasks.count, "\(point)")
        #expect(told.overlaps == [], "\(point)")
        #expect(told.count("start") <= tasks.count + 1, "\(point)")
        let done = try place.list(["site", "--state", "succeeded"] + store)
        #expect(done.count == tasks.count, "\(point)")
        #expect(place.text("site/inventory.json") == "[]", "\(point)")
        #expect(try Files.list("\(folder)/tasks") == [], "\(point)")
        #expect(try Files.list(folder).filter { $0.hasSuffix(".tmp") } == [], "\(point)")
        #expect(try place.sluice(["doctor"] + store).code == 0, "\(point)")
    }

    @Test("P2 P6 CIO-97 workers of a folder are killed while an app adds to it; all of it is done")
    func kills() async throws {
        let seed = Soak.seed()
        print("kills at a folder: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let (place, folder) = try Self.shared()
            let theirs = Soak.count(25, soak: 400)
            let app = try place.start(
                place.file(ForeignApp.program), [folder, "\(theirs)", "40"])
            var (worker, kills) = (try Self.startWorker(place, folder), 0)
            while app.isRunning || kills < 3 {
                let goal = place.testimony.lines.count + chance.number(1...8)
                try place.wait(for: "progress", isPolled: true) {
                    place.testimony.lines.count >= goal || !app.isRunning
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: chance.number(0...20))
                try worker.signal(.kill)
                try worker.answer()
                kills += 1
                #expect(try FolderInspection(folder, isWhole: false).faults == [])
                worker = try Self.startWorker(place, folder)
            }
            try place.expecting(0, app.answer())
            try Self.finish(place, folder, worker, tasks: Self.tasks.count + theirs)
            let told = place.testimony
            #expect(told.overlaps == [])
            #expect(told.count("start") <= Self.tasks.count + theirs + kills)
            print("kills at a folder: \(kills), \(told.count("start")) executions")
        }
    }

    @Test("CIO-97 P6 a worker, a person and an app change a folder at once: nothing is lost")
    func together() async throws {
        try await Workplace.onOwnThread {
            let (place, folder) = try Self.shared()
            let store = ["--store", folder]
            let theirs = Soak.count(30, soak: 1500)
            let worker = try Self.startWorker(place, folder)
            let app = try place.start(
                place.file(ForeignApp.program), [folder, "\(theirs)", "40"])
            var ours = 0
            while app.isRunning || ours < 2 {
                // An app that writes without a pause may keep a command from its turn for 10 s.
                let new = try place.sluice(["enqueue", "site", "our/job", "{}"] + store)
                if new.code == 0 { ours += 1 }
                try place.sluice(["pause", "site"] + store)
                let task = try place.list(["site"] + store).last.map { "#\($0)" }
                // A running task cannot be skipped.
                if let task { try place.sluice(["skip", task] + store) }
                try place.sluice(["step", "site"] + store)
                if let task { try place.sluice(["unskip", task] + store) }
                try place.sluice(["resume", "site"] + store)
                #expect(try FolderInspection(folder, isWhole: false).faults == [])
            }
            try place.expecting(0, app.answer())
            // Undo all pauses and skips, even after the refusals above.
            try place.json(["resume", "site"] + store)
            try place.sluice(["unskip", "--filter", "queue:site state:skipped", "--yes"] + store)
            try Self.finish(place, folder, worker, tasks: Self.tasks.count + theirs + ours)
            #expect(place.testimony.tally("start").values.allSatisfy { $0 == 1 })
            print("a folder shared: \(theirs) tasks of an app, \(ours) of a person")
        }
    }

    private static func shared() throws -> (Workplace, String) {
        let place = try Workplace()
        try place.employWitness()
        try place.write(ForeignApp.text, to: ForeignApp.program, isProgram: true)
        let folder = try place.makeCustomerFolder("site", tasks)
        try place.expecting(0, place.sluice(settings(folder)))
        return (place, folder)
    }

    private static func startWorker(
        _ place: Workplace, _ folder: String
    ) throws -> RunningProgram {
        try place.start(
            ["work", "--quiet", "--handlers", place.file("handlers.json"), "--store", folder])
    }

    /// Waits until all tasks are done, stops the worker, and checks the result.
    private static func finish(
        _ place: Workplace, _ folder: String, _ worker: RunningProgram, tasks: Int
    ) throws {
        let store = ["--store", folder]
        try place.wait(for: "the last task") {
            try place.list(["site", "--state", "succeeded"] + store).count == tasks
        }
        try place.dismiss([worker], store: folder)
        #expect(place.testimony.tally("end").count == tasks)
        #expect(place.text("site/inventory.json") == "[]")
        #expect(try Files.list("\(folder)/tasks") == [])
        #expect(try Files.list(folder).filter { $0.hasSuffix(".tmp") } == [])
        #expect(try place.sluice(["doctor"] + store).code == 0)
    }
}
