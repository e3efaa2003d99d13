import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("The folder that processes share")
struct RunFolderTests {
    /// The error on opening for writing. The place must not change.
    private func refusal(_ place: Place) -> QueueError? {
        do {
            try place.open().close()
            return nil
        } catch {
            return error as? QueueError
        }
    }

    @Test("P5 a link in the place of the folder is refused, and nothing is written behind it")
    func link() throws {
        let place = try Place()
        let elsewhere = try Files.makeTemporaryDirectory(prefix: "sqlite-test-")
        defer { try? Files.removeTree(elsewhere) }
        let made = try ChildProcess.spawn(
            Spawn(
                "ln", ["-s", elsewhere, "\(place.path)-run"], environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(made.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try made.reap() == .code(0))
        #expect(Files.kind("\(place.path)-run", followLinks: false) == .symlink)
        let error = refusal(place)
        #expect(error?.code == .denied && error?.message.contains("link") == true)
        #expect(try Files.list(elsewhere) == [])
        #expect(!Files.exists(place.path))
    }

    @Test(
        "P5 what root makes beside another user's store belongs to that user",
        .enabled(if: ProcessIdentity.userID == 0))
    func owner() throws {
        let place = try Place()
        try place.openWithQueue().close()
        let folder = "\(place.path)-run"
        try Files.removeTree(folder)
        try Mode.give("65534:65534", place.path)
        func owners(_ names: [String]) throws -> Set<UInt32?> {
            try Set(names.map { try Files.status($0)?.ownerID })
        }
        let store = try place.open()
        let attachment = try Attachment(to: store, role: .program, now: at(0))
        let lock = "\(folder)/\(attachment.process.lockName)"
        DamageMark(place.path).put("something")
        #expect(try owners([folder, "\(folder)/notice", lock, "\(folder)/damaged"]) == [65534])
        DamageMark(place.path).remove()
        try attachment.detach(now: at(1))
        store.close()
        // A file left by an older program gets its owner back.
        try Mode.give("0:0", folder, "\(folder)/notice")
        try place.open().close()
        #expect(try owners([folder, "\(folder)/notice"]) == [65534])
        // A folder with anything else in it may be one that was put there.
        try Mode.give("0:0", folder)
        try Files.writeAtomically([1], to: "\(folder)/secret")
        try place.open().close()
        #expect(try owners([folder, "\(folder)/secret"]) == [0])
    }

    @Test("P5 where a store is refused for its folder nothing is made there")
    func nothingMade() throws {
        let place = try Place()
        try Mode.set(0o777, of: place.folder)
        #expect(refusal(place)?.code == .denied)
        #expect(try Files.list(place.folder) == [])
    }

    @Test("P5 a folder that others may write is refused, and so is one that they may replace")
    func writable() throws {
        for mode in [0o777, 0o720, 0o702] as [UInt32] {
            let place = try Place()
            try Files.makeDirectory("\(place.path)-run")
            try Mode.set(mode, of: "\(place.path)-run")
            let error = refusal(place)
            #expect(error?.code == .denied && error?.fix.hasPrefix("chmod go-w ") == true)
            try Mode.set(0o700, of: "\(place.path)-run")
            #expect(refusal(place) == nil)
        }
        let place = try Place()
        try place.open().close()
        try Mode.set(0o777, of: place.folder)
        let error = refusal(place)
        #expect(error?.code == .denied && error?.fix.hasPrefix("chmod o-w ") == true)
        // In a folder such as /tmp everybody may make files, and rename none but their own.
        try Mode.set(0o1777, of: place.folder)
        #expect(refusal(place) == nil)
    }
}

/// The permissions of a file or folder, as chmod sets them.
enum Mode {
    static func set(_ mode: UInt32, of path: String) throws {
        try run("chmod", [String(mode, radix: 8), path])
    }

    /// Sets the owner of files, as chown does.
    static func give(_ owner: String, _ paths: String...) throws {
        try run("chown", [owner] + paths)
    }

    private static func run(_ program: String, _ words: [String]) throws {
        let child = try ChildProcess.spawn(
            Spawn(program, words, environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        _ = try child.reap()
    }
}
