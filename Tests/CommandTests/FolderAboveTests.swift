import SluiceControl
import SluiceModel
import SluicePlatform
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
        "P6 any folder above the queue opens it",
        arguments: ["app", "app/Library", "app/Library/Application Support/io.customer/site-a"])
    func above(_ path: String) throws {
        let root = try container(["site-a"])
        defer { try? Files.removeTree(root) }
        // What another program calls so is none, and a link is not followed.
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

    @Test("P6 of several sites each is named, to choose one")
    func several() throws {
        let root = try container(["site-a", "site-b"])
        defer { try? Files.removeTree(root) }
        let answer = Bench().run(["queues", "--store", "\(root)/app"])
        #expect(answer.exit != .done)
        for site in ["site-a", "site-b"] {
            #expect(answer.errors.contains("io.customer/\(site)/queue'"), "\(answer)")
        }
        #expect(answer.errors.contains("2 queues of an SDK are below"))
    }

    @Test("P6 a folder without a queue says so, and what an SDK's queue looks like")
    func none() throws {
        let root = try container([])
        defer { try? Files.removeTree(root) }
        let answer = Bench().run(["queues", "--store", root])
        #expect(answer.errors.contains("no queue/inventory.json is below it"), "\(answer)")
    }

    @Test("a folder's name without a slash is a store, and not a verb")
    func bareName() throws {
        // The working folder of a test is that of the package.
        let request = try CommandLineParser.parse(
            words: [Word("Sources")], now: Timestamp(milliseconds: 0))
        #expect(request.invocation.isConsole && request.common.store == "Sources")
        #expect(throws: QueueError.self) {
            try CommandLineParser.parse(
                words: [Word("Sourcez")], now: Timestamp(milliseconds: 0))
        }
    }
}
