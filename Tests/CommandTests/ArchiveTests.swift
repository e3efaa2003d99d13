import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

/// One name in an archive that is written here, without compression.
private struct Item {
    var name: String
    var content: [UInt8]
    var flags: UInt16 = 0
    var attributes: UInt32 = 0o100_644 << 16

    init(_ name: String, _ content: String) {
        self.name = name
        self.content = Array(content.utf8)
    }
}

/// Folders of an SDK in zip archives, as testers send them.
@Suite("archives of a phone's folder", .serialized)
struct ArchiveTests {
    private static let site = "app/Library/Application Support/io.customer/site-a/queue"

    /// An archive of `zip -9` with four files of a container, two tasks among them.
    private static let packed = """
        UEsDBAoAAgAAAFaffV2MphsBBQAAAAUAAAAbAAAAQXBwRGF0YS9Eb2N1bWVudHMvbm90ZXMudHh0bm90ZXNQSw
        MEFAACAAgAVp99XYlyl6OJAAAA1AAAAEsAAABBcHBEYXRhL0xpYnJhcnkvQXBwbGljYXRpb24gU3VwcG9ydC9p
        by5jdXN0b21lci9zaXRlLWEvcXVldWUvaW52ZW50b3J5Lmpzb251jr0OwiAURt/lzgwgliZsatvZvWkIlltDai
        kBNGlM312Muhhdv5+T096hD6gTGqUTSCZKWrCS8g2BpOOoPIZo47O2BiRwtuXVrqLwrtPiMcfWoEt2WI5hHuwF
        YSV/sJzAOcxXryacThhAtp+vzVP/uivtHHS/BcSB7uumEF8CKeh+rG+ZBGv3AFBLAwQUAAIACABWn31dGTdpt2
        4AAAByAAAAUAAAAEFwcERhdGEvTGlicmFyeS9BcHBsaWNhdGlvbiBTdXBwb3J0L2lvLmN1c3RvbWVyL3NpdGUt
        YS9xdWV1ZS90YXNrcy82QzBCRUY1Ni5qc29uq1ZKSSxJVLJSSq30KohyDytNcc/JTQwPq/TMys+MDDct9cwzsF
        XSUSoqzYsvSi0uzSkpVrKqVirJL0nMiQcKAnkGtTpKxSX5RYnpqfGZKUCjzJwNnFzdTM2A2koqC1KBIiVFicnZ
        rmWpeSVKtQBQSwMEFAACAAgAVp99XXr4dehxAAAAdwAAAFAAAABBcHBEYXRhL0xpYnJhcnkvQXBwbGljYXRpb2
        4gU3VwcG9ydC9pby5jdXN0b21lci9zaXRlLWEvcXVldWUvdGFza3MvMzE0M0RBRDAuanNvbg2MsQqDMBBA/+Vm
        B8V2EToUBNGpk6JLOMhZrsREkssQxH/vje/BexdYFIQOqEznNszZDu7AZS7jL/C6PPPo6xdUELM3kVJ2kqC7QI
        KgMyqVmruCJCHilwxbXbXNo+3ffa2ZlJPUsCUvvJdPDDs7gvsPUEsBAh4DCgACAAAAVp99XYymGwEFAAAABQAA
        ABsAAAAAAAAAAQAAAKSBAAAAAEFwcERhdGEvRG9jdW1lbnRzL25vdGVzLnR4dFBLAQIeAxQAAgAIAFaffV2Jcp
        ejiQAAANQAAABLAAAAAAAAAAEAAACkgT4AAABBcHBEYXRhL0xpYnJhcnkvQXBwbGljYXRpb24gU3VwcG9ydC9p
        by5jdXN0b21lci9zaXRlLWEvcXVldWUvaW52ZW50b3J5Lmpzb25QSwECHgMUAAIACABWn31dGTdpt24AAAByAA
        AAUAAAAAAAAAABAAAApIEwAQAAQXBwRGF0YS9MaWJyYXJ5L0FwcGxpY2F0aW9uIFN1cHBvcnQvaW8uY3VzdG9t
        ZXIvc2l0ZS1hL3F1ZXVlL3Rhc2tzLzZDMEJFRjU2Lmpzb25QSwECHgMUAAIACABWn31devh16HEAAAB3AAAAUA
        AAAAAAAAABAAAApIEMAgAAQXBwRGF0YS9MaWJyYXJ5L0FwcGxpY2F0aW9uIFN1cHBvcnQvaW8uY3VzdG9tZXIv
        c2l0ZS1hL3F1ZXVlL3Rhc2tzLzMxNDNEQUQwLmpzb25QSwUGAAAAAAQABAC+AQAA6wIAAAAA
        """

    private static func number(_ value: some BinaryInteger, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: Int(value) >> (8 * $0)) }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 {
                let half: UInt32 = sum >> 1
                sum = sum & 1 == 0 ? half : half ^ 0xEDB8_8320
            }
        }
        return ~sum
    }

    private static func archive(_ items: [Item]) -> [UInt8] {
        var (all, directory) = ([UInt8](), [UInt8]())
        for item in items {
            let name = Array(item.name.utf8)
            let size = number(item.content.count, 4)
            var facts = number(20, 2) + number(item.flags, 2) + number(0, 6)
            facts += number(checksum(item.content), 4) + size + size
            facts += number(name.count, 2) + number(0, 2)
            directory += [0x50, 0x4B, 1, 2, 20, 3] + facts + number(0, 6)
            directory += number(item.attributes, 4) + number(all.count, 4) + name
            all += [0x50, 0x4B, 3, 4] + facts
            all += name + item.content
        }
        let count = number(items.count, 2)
        let place = number(directory.count, 4) + number(all.count, 4)
        return all + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count + place + [0, 0]
    }

    private static func queue(_ folder: String) -> [Item] {
        let entry = #"[{"created_at":1670517032,"task_persisted_id":"a","task_type":"track"}]"#
        let file =
            #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"a","type":"track"}"#
        let folder = folder.isEmpty ? "" : "\(folder)/"
        return [Item("\(folder)inventory.json", entry), Item("\(folder)tasks/a.json", file)]
    }

    private static var temporary: String { ProcessIdentity.environment("TMPDIR") ?? "/tmp" }

    /// Runs commands at an archive. Nothing may remain of it, and the archive stays as it is.
    private func atArchive<Value>(
        _ bytes: [UInt8], _ body: (_ path: String) throws -> Value
    ) throws -> Value {
        let root = try Files.makeTemporaryDirectory(prefix: "zips-")
        defer { try? Files.removeTree(root) }
        let path = "\(root)/phone.zip"
        try Files.writeAtomically(bytes, to: path)
        let answer = try body(path)
        #expect(try Files.list(root) == ["phone.zip"])
        #expect(try Files.read(path, limitBytes: 1 << 20) == bytes)
        #expect(!(try Files.list(Self.temporary)).contains { $0.hasPrefix("sluice-zip") })
        return answer
    }

    private func run(_ words: [String], _ bytes: [UInt8]) throws -> Bench.Outcome {
        try atArchive(bytes) { Bench().run(words + ["--store", $0]) }
    }

    @Test("P6 CIO-110 an archive of a container is listed, shown and left as it is")
    func opens() throws {
        let bytes = try #require(Base64.decode(Self.packed.filter { !$0.isWhitespace }))
        let list = try run(["list", "--json"], bytes)
        #expect(list.exit == .done, "\(list)")
        let types = list.json["tasks"]?.array?.compactMap { $0["type"]?.string }
        #expect(types == ["identifyProfile", "trackEvent"])
        #expect(list.json["tasks"]?[0]?["queue"] == "site-a")
        #expect(list.json["tasks"]?[0]?["attempts"] == 1)
        let shown = try run(["show", "6C0BEF56", "--json"], bytes)
        #expect(shown.json["payload"]?["identifier"] == "ann", "\(shown)")
        #expect(try run(["queues", "--read-only"], bytes).output.contains("site-a"))
    }

    @Test("P6 CIO-110 an archive is imported, and a second import adds nothing")
    func imports() throws {
        let bytes = try #require(Base64.decode(Self.packed.filter { !$0.isWhitespace }))
        try atArchive(bytes) { path in
            let bench = Bench()
            for expected in [2, 0] {
                let answer = bench.run(["import", path, "--json"])
                #expect(answer.exit == .done, "\(answer)")
                #expect(answer.json["added"] == .integer(Int64(expected)), "\(answer)")
            }
            let list = bench("list --json")
            let attempts = list.json["tasks"]?.array?.map { $0["attempts"] }
            #expect(attempts == [1, 0], "\(list)")
            #expect(list.json["tasks"]?[0]?["queue"] == "site-a")
        }
    }

    @Test("P6 CIO-110 the copy of a killed command goes with the next one, a used one stays")
    func leftovers() throws {
        let killed = "\(Self.temporary)/sluice-zip.killed.unfinished"
        try Files.makeDirectory("\(killed)/phone/tasks", withParents: true)
        defer { try? Files.removeTree(killed) }
        let used = try UnfinishedFolder(for: "\(Self.temporary)/sluice-zip")
        defer { used.remove() }
        let root = try Files.makeTemporaryDirectory(prefix: "zips-")
        defer { try? Files.removeTree(root) }
        let bytes = Self.archive(Self.queue(Self.site))
        try Files.writeAtomically(bytes, to: "\(root)/phone.zip")
        let answer = Bench().run(["list", "--store", "\(root)/phone.zip"])
        #expect(answer.output.contains("track"), "\(answer)")
        #expect(!Files.exists(killed) && Files.exists(used.path))
    }

    @Test("P6 CIO-110 a queue at the top has the name of the archive")
    func top() throws {
        for (folder, name) in [("", "phone"), ("queue", "phone"), (Self.site, "site-a")] {
            let answer = try run(["queues", "--json"], Self.archive(Self.queue(folder)))
            #expect(answer.json["queues"]?[0]?["name"] == .string(name), "\(answer)")
        }
    }

    @Test("P6 CIO-110 a change of an archive is refused with the commands that unpack it")
    func changes() throws {
        for words in [["pause", "site-a"], ["step", "site-a"], ["doctor", "--repair"]] {
            let answer = try run(words, Self.archive(Self.queue(Self.site)))
            #expect(answer.exit != .done && answer.errors.contains("unzip "), "\(answer)")
            #expect(answer.errors.contains("open it with --read-only, or unpack it"))
        }
    }

    @Test(
        "P6 CIO-110 a name that leads out of the archive is refused, and nothing is written",
        arguments: ["../evil", "a/../../evil", "/tmp/sluice-evil", "..\\evil", ".."])
    func slips(_ name: String) throws {
        let evil = Self.queue("\(name)/queue")
        let answer = try run(["list"], Self.archive(Self.queue(Self.site) + evil))
        #expect(answer.exit != .done, "\(answer)")
        #expect(answer.errors.contains("leads out of its folder"), "\(answer)")
        #expect(!Files.exists("/tmp/sluice-evil"))
    }

    @Test("P6 CIO-110 links, other files and encrypted ones do not become tasks")
    func others() throws {
        var items = Self.queue(Self.site) + [Item("app/notes.txt", "x")]
        var link = Item("app/link/queue/inventory.json", "/etc/passwd")
        link.attributes = 0o120_777 << 16
        items.append(link)
        #expect(try run(["list"], Self.archive(items)).output.contains("track"))
        items[1].flags = 1
        let secret = try run(["list"], Self.archive(items))
        #expect(secret.errors.contains("tasks/a.json is encrypted"), "\(secret)")
        let none = try run(["list"], Self.archive([Item("app/notes.txt", "x")]))
        #expect(none.errors.contains("no queue/inventory.json is in it"), "\(none)")
        let two = Self.queue(Self.site) + Self.queue("other/site-b/queue")
        let several = try run(["list"], Self.archive(two))
        #expect(several.errors.contains("2 queues of an SDK are in it"), "\(several)")
        #expect(several.errors.contains("unzip "))
    }

    @Test("P6 CIO-110 no damaged byte of an archive does more than a refusal")
    func damage() throws {
        let whole = try #require(Base64.decode(Self.packed.filter { !$0.isWhitespace }))
        for place in stride(from: 7, to: whole.count, by: 7) {
            var bytes = whole
            bytes[place] ^= 0xFF
            for damaged in [bytes, Array(whole.prefix(place))] {
                let answer = try run(["list"], damaged)
                #expect(answer.exit == .done || !answer.errors.isEmpty)
            }
        }
    }
}
