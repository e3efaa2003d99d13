import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("Where a download ends", .timeLimit(.minutes(10)))
struct PlacementTests {
    let place: TransferPlace
    let file = ServedFile(bytes: 1000)
    let server: ScriptedServer

    init() throws {
        place = try TransferPlace()
        server = try ScriptedServer { [file] in try $0.serve(file) }
    }

    private func download(
        to name: String = "a.bin", overwrite: Bool = false, task: TaskID = 1042
    ) async -> HandlerOutcome {
        await place.download(server.url("/x"), to: name, overwrite: overwrite, task: task).outcome
    }

    private func keptError(_ name: String, as kept: String) -> HandlerOutcome {
        .giveUp(error: "\(name) exists already and stays as it is; what came is kept as \(kept)")
    }

    @Test("PN-12 DBX-31 a name that is taken: an error that says where the data are kept")
    func collision() async throws {
        try place.write("mine", to: "a.bin")
        let kept = "a.bin.sluice-1042"
        #expect(await download() == keptError("a.bin", as: kept))
        #expect(try place.read("a.bin") == Array("mine".utf8))
        #expect(try place.read(kept) == file.content)
        #expect(try place.names() == ["a.bin", kept])
        // Another attempt sends no request, because the file exists.
        #expect(await download() == keptError("a.bin", as: kept))
        try Files.remove(place.file("a.bin"))
        #expect(await download() == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content)
        #expect(try place.names() == ["a.bin"] && server.requests.count == 1)
    }

    @Test("PN-12 what a collision kept replaces when the next try may; other files are never taken")
    func keptThenOverwritten() async throws {
        try place.write("mine", to: "a.bin")
        try place.write("also mine", to: "a.bin.sluice-1042")
        #expect(await download() == keptError("a.bin", as: "a.bin.sluice-1042-2"))
        #expect(await download(overwrite: true) == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content)
        #expect(try place.names() == ["a.bin", "a.bin.sluice-1042"])
        #expect(server.requests.count == 1)
    }

    @Test("S5 overwrite replaces a file in one step, and a link itself; never a folder")
    func overwrite() async throws {
        try place.write("old", to: "a.bin")
        #expect(await download(overwrite: true) == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content)
        try place.write("untouched", to: "target")
        try await Shell.link("target", at: place.file("link"))
        #expect(
            await download(to: "link", overwrite: true, task: 2) == .placed("link", bytes: 1000))
        #expect(try place.read("target") == Array("untouched".utf8))
        #expect(Files.kind(place.file("link"), followLinks: false) == .file)
        try Files.makeDirectory(place.file("folder"))
        #expect(
            await download(to: "folder", overwrite: true, task: 3)
                == keptError("folder", as: "folder.sluice-3"))
        // A link that leads nowhere has the name as well.
        try await Shell.link("nowhere", at: place.file("dangling"))
        #expect(
            await download(to: "dangling", task: 4)
                == keptError("dangling", as: "dangling.sluice-4"))
    }

    @Test("A8 an execution after a crash between the placing and its commit finds it done")
    func alreadyPlaced() async throws {
        for overwrite in [false, true] {
            let task: TaskID = overwrite ? 2 : 1
            let name = "\(task).bin"
            for _ in 1...2 {
                #expect(
                    await download(to: name, overwrite: overwrite, task: task)
                        == .placed(name, bytes: 1000))
            }
        }
        #expect(server.requests.count == 2)
        // A file that another task downloaded, or from another URL, is not reused.
        #expect(await download(to: "1.bin", task: 3) == keptError("1.bin", as: "1.bin.sluice-3"))
        let other = await place.download(server.url("/y"), to: "2.bin", overwrite: true, task: 2)
        #expect(await other.outcome == .placed("2.bin", bytes: 1000))
        #expect(server.requests.count == 4)
    }

    /// A temporary file of the task with all that the server would send, locked.
    private func completePart() throws -> PartFile {
        let part = try PartFile(
            in: OpenFolder(place.path), PartName(key: "key-1042"),
            mark: FileMark(key: "key-1042", url: server.url("/x")))
        try part.restart(url: server.url("/x"), validator: "\"v1\"", totalBytes: 1000)
        try file.content.withUnsafeBytes { try part.append($0) }
        return part
    }

    @Test("S5 a complete file that was not placed yet is placed without a request, one at a time")
    func completeAtRest() async throws {
        let part = try completePart()
        let held = await place.download(server.url("/x"), to: "a.bin") {
            $0.lockPatienceMilliseconds = 20
        }
        let error = "another attempt still writes the temporary file"
        #expect(await held.outcome == .failed(error))
        part.leave()
        #expect(await download() == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content && server.requests == [])
    }

    @Test("S5 a lock that is held for a moment is waited for, and a stop ends the wait")
    func heldForAMoment() async throws {
        let part = try completePart()
        let payload: JSONValue = ["url": .string(server.url("/x")), "destination": "a.bin"]
        let stopped = place.download(payload)
        stopped.running.stop()
        #expect(await stopped.outcome == .failed("stopped"))
        let waiting = place.download(payload)
        try Poll.pause(milliseconds: 20)
        part.leave()
        #expect(await waiting.outcome == .placed("a.bin", bytes: 1000))
        #expect(try place.read("a.bin") == file.content && server.requests == [])
    }

    @Test("S5 after a crash of the machine only what is on the disk for certain counts")
    func otherBoot() async throws {
        let name = PartName(key: "key-1042")
        var state = PartState(
            url: server.url("/x"), validator: "\"v1\"", totalBytes: 1000, bootID: "another")
        state.syncedBytes = 400
        let folder = try OpenFolder(place.path)
        try folder.replace(name.state, state.json)
        // As if the rest had been lost: its length came to the disk, its bytes did not.
        try folder.replace(name.part, file.content(0..<400) + [UInt8](repeating: 0, count: 600))
        #expect(await download() == .placed("a.bin", bytes: 1000))
        #expect(server.requests.map(\.rangeStart) == [400])
        #expect(try place.read("a.bin") == file.content)
    }

    @Test("P3 a state that is damaged or another address's is not gone on with")
    func badState() async throws {
        let name = PartName(key: "key-1042")
        let folder = try OpenFolder(place.path)
        let boot = try ProcessIdentity.bootID()
        let other = PartState(
            url: "http://other/", validator: "\"v1\"", totalBytes: 1000, bootID: boot)
        for bytes in [Array("{".utf8), [], other.json] {
            try folder.replace(name.part, [UInt8](repeating: 0, count: 500))
            try folder.replace(name.state, bytes)
            #expect(await download() == .placed("a.bin", bytes: 1000))
            #expect(try place.read("a.bin") == file.content)
            try Files.remove(place.file("a.bin"))
        }
        #expect(server.requests.map(\.rangeStart) == [nil, nil, nil])
    }

    @Test("S5 what nobody went on with for a week is removed; all else stays")
    func sweep() async throws {
        let old = [
            ".sluice-a.part", ".sluice-a.state", ".sluice-b.state.new", ".sluice-x", "c.part",
        ]
        for name in old + [".sluice-young.part"] { try place.write("x", to: name) }
        for name in old { await Shell.age(place.file(name), days: 8) }
        #expect(await download() == .placed("a.bin", bytes: 1000))
        #expect(
            try place.names() == [".sluice-x", ".sluice-young.part", "a.bin", "c.part"])
    }

    @Test(
        "S5 a destination outside the root is refused, also by a link; one inside may be a link",
        arguments: [
            "/etc/x", "../x", "a/../../x", "a/..", "out/x", "up/x", "round/x", "file/x", "", "/",
            "a/", "a\u{7}b", "far/x",
        ])
    func outside(_ name: String) async throws {
        let outside = try TransferPlace()
        try await Shell.link(outside.path, at: place.file("out"))
        try await Shell.link("..", at: place.file("up"))
        try await Shell.link("round", at: place.file("round"))
        try await Shell.link("/proc/self/root/tmp", at: place.file("far"))
        try place.write("x", to: "file")
        try Files.makeDirectory(place.file("inner"))
        try await Shell.link("inner", at: place.file("in"))
        guard case .giveUp = await download(to: name) else {
            Issue.record("\(await download(to: name))")
            return
        }
        #expect(try outside.names() == [] && server.requests == [])
        #expect(await download(to: "in/deep/x") == .placed("in/deep/x", bytes: 1000))
        #expect(try place.read("inner/deep/x") == file.content)
    }

    @Test("S5 a name too long for the file system, and a root that is not there")
    func badPlaces() async throws {
        let long = String(repeating: "a", count: 300)
        guard case .giveUp = await download(to: long) else {
            Issue.record("a long name")
            return
        }
        let edge = String(repeating: "ö", count: 127)
        _ = try OpenFolder(place.path).appending(to: edge)
        #expect(await download(to: edge).error?.hasSuffix(".sluice-1042") == true)
        try Files.removeTree(place.path)
        let gone = await download()
        #expect(gone.error?.hasPrefix("the root cannot be used") == true)
        guard case .pauseQueue(300_000, false, _) = gone else {
            Issue.record("\(gone)")
            return
        }
    }
}
