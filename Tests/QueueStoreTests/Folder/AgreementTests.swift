import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("A folder and the SDK")
struct AgreementTests {
    /// A folder whose tasks have come in, closed again.
    private func used() throws -> SDKFolder {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        store.close()
        return folder
    }

    @Test("CIO-109 what the SDK adds to a folder sets the timer of a run, and is counted")
    func closeLog() throws {
        let folder = try used()
        try folder.add("new")
        let store = try folder.open(second: 7)
        let lines = try store.readBlocking {
            try Reading($0, now: at(7)).log(limit: 9, isClose: true)
        }
        .lines
        let told = lines.map { line in
            if case .journal(.event(let event)) = line.entry {
                event.text + line.countWords
            } else {
                ""
            }
        }
        #expect(
            told == [
                "4 tasks of inventory.json came in", "the next run is due in 30s",
                "#5 new came in, 5 in the queue",
            ])
    }

    @Test("P6 CIO-118 what the SDK added comes in, what it took away goes out; both are journalled")
    func changes() throws {
        let folder = try used()
        try folder.finish(SDKFolder.id(1))
        try folder.add("new", members: ["p1"])
        try folder.fail(SDKFolder.id(2))
        let store = try folder.open(second: 7)
        let tasks = try store.waiting()
        #expect(tasks.map(\.id) == [2, 3, 4, 5])
        #expect(tasks.map(\.attempts) == [1, 0, 1, 0])
        #expect(tasks.map(\.isHeld) == [false, false, true, true])
        #expect(try store.readBlocking { try $0.requireTask(1).state.name } == .deleted)
        let events = try store.readBlocking { try $0.journal(JournalQuery(limit: 10)) }
        let lines = events.compactMap { entry in
            if case .event(let event) = entry, event.by == "Customer.io SDK" {
                return "\(event.kind) \(event.task ?? 0) \(event.text)"
            }
            return nil
        }
        #expect(
            lines == [
                "enqueued 0 4 tasks of inventory.json came in",
                "deleted 1 #1 identify left inventory.json: done, refused or expired in the app",
                "ranInApp 2 #2 track ran in the app without success, 1 attempt",
                "enqueued 5 #5 new came in",
            ])
        #expect(try folder.differences() == [])
    }

    @Test(
        "P6 CIO-118 an attempt of the app's right after the opening is seen", arguments: 0..<20)
    func attemptAtOpening(_ round: Int) throws {
        let folder = try used()
        let store = try folder.open(second: 7)
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        try folder.fail(SDKFolder.id(2))
        while try store.readBlocking({ try $0.requireTask(2).attempts }) == 0 {
            let found = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 60_000)
            try #require(!found.isEmpty)
            signal.drain()
        }
        withExtendedLifetime(observation) {}
    }

    @Test("P3 reads fail while an observer finds the inventory damaged, and no longer")
    func damaged() throws {
        let folder = try used()
        let store = try folder.open(second: 7)
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        func error() -> QueueError.Code? {
            do {
                try store.readBlocking { _ = try $0.queues() }
                return nil
            } catch let error as QueueError {
                return error.code
            } catch {
                return .denied
            }
        }
        func wait(for code: QueueError.Code?) throws {
            while error() != code {
                let found = try Poll.wait(
                    fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 60_000)
                try #require(!found.isEmpty)
                signal.drain()
            }
        }
        let path = "\(folder.path)/inventory.json"
        let whole = try Files.read(path, limitBytes: 1 << 20)
        try Files.writeAtomically(Array(whole.prefix(20)), to: path)
        try wait(for: .damagedStore)
        try Files.writeAtomically(whole, to: path)
        try wait(for: nil)
        withExtendedLifetime(observation) {}
    }

    @Test("P6 CIO-118 an attempt of the app's comes in while we look on, and is a line of the log")
    func attemptsOfApp() throws {
        let folder = try used()
        let store = try folder.open(second: 7)
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        try folder.fail(SDKFolder.id(2))
        try folder.fail(SDKFolder.id(2))
        var attempts = 0
        while attempts < 2 {
            let found = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 60_000)
            try #require(!found.isEmpty)
            signal.drain()
            attempts = try store.readBlocking { try $0.requireTask(2).attempts }
        }
        #expect(attempts == 2)
        let told = try store.readBlocking { try $0.journal(JournalQuery(limit: 10)) }
            .compactMap { entry -> String? in
                guard case .event(let event) = entry, event.kind == "ranInApp" else { return nil }
                return event.text
            }
        #expect(!told.isEmpty)
        #expect(told.allSatisfy { $0.hasPrefix("#2 track ran in the app without success, ") })
        // Our own writes to the folder are no attempts of the app.
        _ = try store.claim(try store.attachRunner(), second: 8)
        #expect(try folder.differences() == [])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "P6 a task's file that goes and comes back is seen while we look on",
        arguments: [true, false])
    func fileGone(isUsed: Bool) throws {
        let folder = try isUsed ? used() : ReadingTests.sample()
        let store = try folder.open(second: 7)
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        let file = "\(folder.path)/tasks/\(SDKFolder.id(2)).json"
        let content = try Files.read(file, limitBytes: 1 << 20)
        func wait(parked: Bool) throws {
            while try store.readBlocking({ reader in
                try reader.requireTask(2).waiting?.parking?.cause == .missing
            }) != parked {
                let found = try Poll.wait(
                    fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 60_000)
                try #require(!found.isEmpty)
                signal.drain()
            }
        }
        try Files.remove(file)
        try wait(parked: true)
        try Files.writeAtomically(content, to: file)
        try wait(parked: false)
        withExtendedLifetime(observation) {}
    }

    @Test("P6 T6 a group is one however its accents are spelt, and the SDK's spelling stays")
    func spellings() throws {
        let folder = try SDKFolder()
        try folder.add("identify", start: "cafe\u{301}")
        try folder.add("track", members: ["caf\u{e9}"])
        try folder.add("tracke\u{301}", members: ["cafe\u{301}"])
        let entries = folder.text.split(separator: "{").suffix(2).map { entry in
            Array(entry.prefix { $0 != "}" }.utf8)
        }
        let store = try folder.open()
        #expect(try store.waiting().map(\.isHeld) == [false, true, true])
        let claimed = try #require(try store.claim(try store.attachRunner(), second: 1))
        #expect(try store.waiting().map(\.isHeld) == [true, true])
        try store.settle(claimed, .done, second: 2)
        #expect(try store.waiting().map(\.isHeld) == [false, false])
        let after = Array(try folder.content("inventory.json").utf8)
        #expect(entries.allSatisfy { after.firstRange(of: $0) != nil })
    }

    @Test("P6 what the SDK does while we have the folder open is taken in by the next write")
    func meanwhile() throws {
        let folder = try used()
        let store = try folder.open()
        try folder.add("new")
        try folder.finish(SDKFolder.id(3))
        _ = try store.change { try $0.enqueue([EnqueueRequest(type: "ours")], to: "site") }
        #expect(try store.waiting().map(\.type) == ["identify", "track", "track", "new", "ours"])
        #expect(try folder.content("inventory.json").contains("\"new\""))
        #expect(try !folder.content("inventory.json").contains("push"))
    }

    @Test("P6 an entry of a task that ended here goes again; with its file it is another task")
    func stale() throws {
        let folder = try used()
        let former = folder.text
        let file = folder.items[3].file
        let store = try folder.open()
        for id in TaskID(3)...4 {
            try store.change { mutation in
                let task = try mutation.store.requireTask(id)
                try mutation.apply(.giveUp(reason: "no"), to: task)
                if id == 4 { try mutation.store.remove([4]) }
            }
        }
        try folder.put(former, "inventory.json")
        let again = try folder.open()
        #expect(try again.waiting().map(\.id) == [1, 2])
        folder.model { $0.removeLast(2) }
        #expect(try folder.differences() == [])
        try folder.put(file, "tasks/\(SDKFolder.id(4)).json")
        try folder.put(former, "inventory.json")
        let third = try folder.open()
        #expect(try third.waiting().map(\.type) == ["identify", "track", "track"])
        #expect(try third.reference(of: 4) == nil && third.reference(of: 5) == SDKFolder.id(4))
        #expect(try third.reference(of: 3) == SDKFolder.id(3))
    }

    @Test("P6 a task that we run stays although the SDK took its entry away")
    func running() throws {
        let folder = try used()
        let store = try folder.open()
        let runner = try store.attachRunner()
        let claimed = try #require(try store.claim(runner, second: 1))
        try folder.finish(SDKFolder.id(1))
        try store.change(2) { try $0.changeQueue("site") { $0.barrenRuns = 3 } }
        let running = try store.readBlocking { try $0.requireTask(1).running }
        #expect(running != nil)
        try store.settle(claimed, .done, second: 3)
        #expect(try folder.differences() == [])
    }

    /// Kinds of damage to the first task's file.
    enum Harm: String, CaseIterable {
        case missing, json, type, id, data, runs, link, folder, pipe, large, device
    }

    private func harm(_ folder: SDKFolder, _ harm: Harm) throws {
        let path = "\(folder.path)/tasks/\(SDKFolder.id(1)).json"
        let name = "tasks/\(SDKFolder.id(1)).json"
        let good = folder.items[0].file
        try Files.remove(path)
        switch harm {
        case .missing: break
        case .json: try folder.put("{\"data\":", name)
        case .type: try folder.put(good.replacing("identify", with: "other"), name)
        case .id: try folder.put(good.replacing("00000001-", with: "00000009-"), name)
        case .data: try folder.put(good.replacing("eyJ", with: "*yJ"), name)
        case .runs: try folder.put(good.replacing("total_runs\":2", with: "total_runs\":-1"), name)
        case .link:
            try folder.put(good, "elsewhere")
            try Special.link("\(folder.path)/elsewhere", at: path)
        case .folder: try Files.makeDirectory(path)
        case .pipe: try Special.pipe(path)
        case .device: try Special.device(path)
        case .large: try Special.sparse(path, bytes: 17 << 20)
        }
    }

    @Test(
        "CIO-33 P6 a task whose file cannot be read is parked, its entry kept",
        arguments: Harm.allCases)
    func harmed(_ harm: Harm) throws {
        let folder = try ReadingTests.sample()
        try self.harm(folder, harm)
        let early = try folder.open(readOnly: true)
        #expect(try early.waiting()[0].waiting?.parking?.cause == .missing)
        let store = try folder.open()
        let runner = try store.attachRunner()
        let parking = try #require(try store.waiting()[0].waiting?.parking)
        #expect(parking.cause == .missing && !parking.detail.isEmpty)
        let claimed = try #require(try store.claim(runner, second: 1))
        #expect(claimed.task.id == 3, "its member is held, others go on")
        try store.settle(claimed, .done, second: 2)
        try folder.finish(SDKFolder.id(3), isModel: true)
        #expect(try folder.content("inventory.json") == folder.text)
        // Looking again finds the same.
        try store.change(3) { mutation in
            try mutation.apply(.retry, to: try mutation.store.requireTask(1))
        }
        #expect(try store.waiting()[0].waiting?.parking?.cause == .missing)
        try Files.remove("\(folder.path)/tasks/\(SDKFolder.id(1)).json")
        try folder.put(folder.items[0].file, "tasks/\(SDKFolder.id(1)).json")
        try store.change(4) { mutation in
            try mutation.apply(.retry, to: try mutation.store.requireTask(1))
        }
        let mended = try store.waiting()[0]
        #expect(mended.id == 1 && mended.waiting?.parking == nil && mended.attempts == 2)
        let next = try #require(try store.claim(runner, second: 5))
        #expect(next.task.id == 1 && next.payload == Array("{\"n\":1}".utf8))
        try store.settle(next, .done, second: 6)
        try folder.finish(SDKFolder.id(1), isModel: true)
        #expect(try folder.content("inventory.json") == folder.text)
    }

    @Test("CIO-33 a file that vanishes later parks its task at the next opening, and back again")
    func vanished() throws {
        let folder = try used()
        try Files.remove("\(folder.path)/tasks/\(SDKFolder.id(2)).json")
        let parked = try folder.open()
        #expect(try parked.waiting()[1].waiting?.parking?.cause == .missing)
        try parked.change { mutation in
            try mutation.apply(
                .delete(Deletion(by: "ann")), to: try mutation.store.requireTask(2))
        }
        try parked.change { mutation in
            try mutation.apply(.undelete, to: try mutation.store.requireTask(2))
        }
        #expect(try folder.content("inventory.json") == folder.text)
        parked.close()
        try folder.put(folder.items[1].file, "tasks/\(SDKFolder.id(2)).json")
        #expect(try folder.open().waiting()[1].waiting?.parking == nil)
        #expect(try folder.differences() == [])
    }

    @Test("P6 a payload given by a person makes a file for a task that had none")
    func repaired() throws {
        let folder = try ReadingTests.sample()
        try harm(folder, .data)
        let store = try folder.open()
        try store.writeBlocking { try $0.setPayload(Array("{}".utf8), of: 1) }
        folder.model {
            $0[0].data = "e30="
            $0[0].runs = 0
        }
        #expect(try folder.differences() == [])
    }

    @Test("CIO-97 P6 our processes share a folder: each sees what the other did")
    func shared() throws {
        let folder = try ReadingTests.sample()
        let (first, second) = (try folder.open(), try folder.open(ids: 0xB000))
        #expect(try second.waiting().count == 4)
        _ = try first.change { try $0.enqueue([EnqueueRequest(type: "a")], to: "site") }
        #expect(try second.waiting().map(\.type).last == "a")
        _ = try second.change { try $0.enqueue([EnqueueRequest(type: "b")], to: "site") }
        let runner = try first.attachRunner()
        let claimed = try #require(try second.claim(runner, second: 1))
        try first.settle(claimed, .done, second: 2)
        let types = try second.waiting().map(\.type)
        #expect(types == ["track", "push", "track", "a", "b"])
        let copy = try SDKFolder(copying: folder.path)
        #expect(try copy.open().waiting().map(\.type) == types)
    }

    @Test("A2 a process attaches to a folder that nobody has changed, dies, and is reaped")
    func attached() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        #expect(try Reaper.reapTheDead(in: store, now: at(0)).settled.isEmpty)
        #expect(try !Files.list(folder.path).contains("sluice.db"))
        try Files.makeDirectory(try #require(store.runFolder))
        let id: ProcessID
        var life: AnyObject?
        (id, life) = try store.attachForReal()
        #expect(try store.claim(id, second: 1)?.task.id == 1)
        let other = try folder.open(ids: 0xB000)
        #expect(try Reaper.reapTheDead(in: other, now: at(2)).settled.isEmpty)
        withExtendedLifetime(life) {}
        life = nil
        #expect(try Reaper.reapTheDead(in: other, now: at(3)).settled.map(\.id) == [1])
        #expect(try store.waiting().map(\.id) == [1, 2, 3, 4])
        #expect(try folder.differences() == [], "a loss is not counted")
    }

    @Test("P6 what somebody changed in sluice.db alone follows at the next opening")
    func direct() throws {
        let folder = try used()
        try Special.changeDatabase("\(folder.path)/sluice.db") { writer in
            try writer.transact(at: at(3)) { mutation in
                try mutation.apply(.giveUp(reason: "x"), to: try writer.requireTask(3))
                _ = try mutation.enqueue([EnqueueRequest(type: "direct")], to: "site")
            }
        }
        let store = try folder.open()
        let copy = try SDKFolder(copying: folder.path)
        let types = try copy.open().waiting().map(\.type)
        #expect(types == ["identify", "track", "track", "direct"])
        #expect(try store.waiting().map(\.type) == types)
    }
}
