import SluiceControl
import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Folders above the SDK's own")
struct FolderAboveTests {
    /// A container as testers copy it from a device, with the folder of each site.
    private func container(_ sites: [String]) throws -> String {
        let root = try Files.makeTemporaryDirectory(prefix: "above-")
        for site in sites {
            let queue = "\(root)/app/Library/Application Support/io.customer/\(site)/queue"
            try Files.makeDirectory("\(queue)/tasks", withParents: true)
            let entry =
                #"{"created_at":1670517032,"task_persisted_id":"\#(site)","task_type":"track"}"#
            let task =
                #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"\#(site)","#
                + #""type":"track"}"#
            try Files.writeAtomically(Array("[\(entry)]".utf8), to: "\(queue)/inventory.json")
            try Files.writeAtomically(Array(task.utf8), to: "\(queue)/tasks/\(site).json")
        }
        return root
    }

    @Test(
        "P6 CIO-110 any folder above the queue opens it",
        arguments: ["app", "app/Library", "app/Library/Application Support/io.customer/site-a"])
    func above(_ path: String) throws {
        let root = try container(["site-a"])
        defer { try? Files.removeTree(root) }
        // Ignores another program's folder of the same name, and does not follow links.
        try Files.makeDirectory("\(root)/app/other", withParents: true)
        try Files.writeAtomically(Array("[]".utf8), to: "\(root)/app/other/inventory.json")
        let answer = Bench().run(["queues", "--json", "--store", "\(root)/\(path)"])
        #expect(answer.exit == .done, "\(answer)")
        #expect(answer.json["queues"]?[0]?["name"] == "site-a")
        let pause = Bench().run(["pause", "site-a", "--store", "\(root)/\(path)"])
        #expect(pause.exit == .done, "\(pause)")
        let queue = "\(root)/app/Library/Application Support/io.customer/site-a/queue"
        #expect(Files.exists("\(queue)/sluice.db"))
        #expect(StorePlace("\(root)/\(path)").isSame(as: StorePlace(queue)))
    }

    @Test("P6 CIO-110 of several sites each is named with the command that opens it")
    func several() throws {
        let root = try container(["site-a", "site-b"])
        defer { try? Files.removeTree(root) }
        let answer = Bench().run(["list", "--store", "\(root)/app"])
        #expect(answer.exit != .done)
        for site in ["site-a", "site-b"] {
            let queue = "\(root)/app/Library/Application Support/io.customer/\(site)/queue"
            #expect(answer.errors.contains("sluice --store '\(queue)'"), "\(answer)")
            let one = Bench().run(["queues", "--json", "--store", queue])
            #expect(one.json["queues"]?[0]?["name"] == .string(site), "\(one)")
        }
        #expect(answer.errors.contains("2 queues of an SDK are below"))
    }

    @Test("P6 CIO-110 queues, failures and doctor take all sites below a folder, each for itself")
    func all() throws {
        let root = try container(["site-a", "site-b"])
        defer { try? Files.removeTree(root) }
        let answer = Bench().run(["queues", "--json", "--store", "\(root)/app"])
        #expect(answer.exit == .done, "\(answer)")
        let places = try #require(answer.json["places"]?.array)
        #expect(places.count == 2)
        for (place, site) in zip(places, ["site-a", "site-b"]) {
            #expect(place["answer"]?["queues"]?[0]?["name"] == .string(site))
            #expect(place["store"]?.string?.hasSuffix("/io.customer/\(site)/queue") == true)
        }
        for verb in ["failures", "doctor"] {
            let answer = Bench().run([verb, "--store", "\(root)/app"])
            #expect(answer.exit == .done && answer.output.contains("/site-b/queue\n"), "\(answer)")
        }
    }

    @Test("P6 CIO-110 a folder without a queue says where it was looked for, and where one is")
    func none() throws {
        let root = try container([])
        defer { try? Files.removeTree(root) }
        try Files.makeDirectory("\(root)/Documents/a", withParents: true)
        // A link that leads back is not followed.
        let made = try ChildProcess.spawn(
            Spawn(
                "ln", ["-s", root, "\(root)/Documents/back"], environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(made.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try made.reap() == .code(0))
        let answer = Bench().run(["queues", "--store", root])
        #expect(answer.errors.contains("no queue/inventory.json is below it"), "\(answer)")
        #expect(answer.errors.contains("3 names, 10 folders deep at most, were looked at"))
        #expect(answer.errors.contains("Library/Application Support/io.customer/SITE/queue"))
    }

    @Test("P6 CIO-112 a folder of the SDK for Android is listed, told apart, and left as it is")
    func android() throws {
        let root = try container(["site-a"])
        defer { try? Files.removeTree(root) }
        let queue = "\(root)/app/Library/Application Support/io.customer/site-a/queue"
        let entry = #"[{"taskPersistedId":"a","taskType":"TrackEvent","createdAt":1670517033}]"#
        let file =
            #"{"storageId":"a","type":"TrackEvent","data":"{\"identifier\":\"kim\",\"event\":"#
            + #"{\"name\":\"bought\",\"type\":\"event\"}}","runResults":{"totalRuns":2}}"#
        try Files.writeAtomically(Array(entry.utf8), to: "\(queue)/inventory.json")
        try Files.writeAtomically(Array(file.utf8), to: "\(queue)/tasks/a.json")
        let answer = Bench().run(["list", "--store", root])
        #expect(answer.exit == .done && answer.output.contains("TrackEvent"), "\(answer)")
        let column = ["list", "--store", root, "--columns", "type,payload.event.name"]
        #expect(Bench().run(column).output.contains("bought"))
        let found = Bench().run([
            "list", "--store", root, "--json", "--filter", "payload.event.name=bought attempts=2",
        ])
        #expect(found.json["tasks"]?.array?.count == 1, "\(found)")
        #expect(try Files.read("\(queue)/inventory.json", limitBytes: 1000) == Array(entry.utf8))
        #expect(try Files.read("\(queue)/tasks/a.json", limitBytes: 1000) == Array(file.utf8))
    }

    @Test(
        "P6 CIO-110 an archive is refused with the commands that unpack it",
        arguments: [
            ("phone.zip", Array("PK".utf8) + [3, 4], "unzip 'ROOT/phone.zip' -d phone"),
            ("phone.tgz", [0x1F, 0x8B, 8], "tar -xzf 'ROOT/phone.tgz' -C phone"),
            (
                "phone", [UInt8](repeating: 0, count: 257) + Array("ustar".utf8),
                "tar -xf 'ROOT/phone' -C phone-folder"
            ),
        ] as [(String, [UInt8], String)])
    func archive(_ name: String, _ head: [UInt8], _ command: String) throws {
        let root = try Files.makeTemporaryDirectory(prefix: "a bove-")
        defer { try? Files.removeTree(root) }
        let bytes = head + [UInt8](repeating: 0, count: 4096)
        try Files.writeAtomically(bytes, to: "\(root)/\(name)")
        let expected = command.replacing("ROOT", with: root)
        for words in [["queues", "--store"], ["import", "--store", "\(root)/s.db"]] {
            let answer = Bench().run(words + ["\(root)/\(name)"])
            #expect(answer.exit != .done)
            #expect(answer.errors.contains(expected), "\(answer)")
        }
        let left = try Files.list(root)
        #expect(!left.contains("phone-folder") && (name == "phone" || !left.contains("phone")))
    }

    @Test("a folder's name without a slash is a store, and not a verb")
    func bareName() throws {
        // A test's working folder is the package folder.
        let request = try CommandLineParser.parse(words: [Word("Sources")])
        #expect(request.invocation.isConsole && request.common.store == "Sources")
        #expect(throws: QueueError.self) {
            try CommandLineParser.parse(words: [Word("Sourcez")])
        }
    }
}
