import SluiceSystem
import Testing

@testable import Sluice

/// Tasks named by API routes, with a type for each route.
struct AppendV2: TaskPayload {
    static let taskType = "files/upload_session/append_v2"
    var argument: String
}

struct DownloadZip: TaskPayload {
    static let taskType = "files/download_zip"
    var argument: String
}

struct SharedLink: TaskPayload {
    static let taskType = "sharing/get_shared_link_file"
    var argument: String
}

struct PaperDownload: TaskPayload {
    static let taskType = "paper/docs/download"
    var argument: String
}

/// A mail as three versions of a program wrote it.
struct OldMail: TaskPayload {
    static let taskType = "mail"
    var to: String
}

struct Mail: TaskPayload, Equatable {
    static let taskType = "mail"
    static let payloadVersion = 3
    var receivers: [String]

    static func upgrade(_ payload: [UInt8], from version: Int) throws -> Mail {
        let value = try JSONValue.parse(payload)
        guard let to = value["to"]?.string else { throw HandlerError(.giveUp(error: "no to")) }
        return Mail(receivers: version == 1 ? [to] : to.split(separator: ",").map(String.init))
    }
}

/// The stored description of a task, and its use by a program.
@Suite("descriptions")
struct DescriptionTests {
    let bench: SessionBench

    init() throws { bench = try SessionBench() }

    /// A task of a session as any program, or a command, may have left it.
    private func leave(_ type: String, _ payload: String, _ string: ClientString? = nil) throws
        -> TaskID
    {
        var request = EnqueueRequest(type: type, payload: Array(payload.utf8))
        request.session = "s"
        request.clientString = string
        let answer = try bench.life().control.performBlocking(
            .enqueue(queue: "s", [request]))
        return try #require(answer.changed.first)
    }

    @Test("DBX-01 DBX-02 every field comes back equal, whatever it holds")
    func equal() async throws {
        let upload = Upload(path: "/a b#?///?#\n\u{0}é.jpg", parts: [.min, 0, .max], note: nil)
        let download = Download(destination: "file:///tmp/out/a%20b.jpg", overwrite: true)
        do {
            let former = try await bench.life().session("s")
            try await former.enqueue(upload, clientString: "path ###___### file")
            try await former.enqueue(download, clientString: "ctx=42")
        }
        let session = try await bench.life().session("s", of: Upload.self, Download.self)
        #expect(session.reconnected[0].payload(as: Upload.self) == upload)
        #expect(session.reconnected[1].payload(as: Download.self) == download)
        #expect(
            session.reconnected.map(\.clientString) == ["path ###___### file", "ctx=42"])
    }

    @Test("DBX-03 DBX-04 DBX-05 DBX-06 a task comes back under exactly the name it had")
    func names() async throws {
        do {
            let former = try await bench.life().session("s")
            try await former.enqueue(AppendV2(argument: "1"))
            try await former.enqueue(DownloadZip(argument: "2"))
            try await former.enqueue(SharedLink(argument: "3"))
            try await former.enqueue(PaperDownload(argument: "4"))
        }
        let session = try await bench.life().session(
            "s", of: AppendV2.self, DownloadZip.self, SharedLink.self,
            PaperDownload.self)
        let names = session.reconnected.map(\.task.type)
        #expect(
            names == [
                "files/upload_session/append_v2", "files/download_zip",
                "sharing/get_shared_link_file", "paper/docs/download",
            ])
        let items = session.reconnected
        #expect(items[0].payload(as: AppendV2.self)?.argument == "1")
        #expect(items[1].payload(as: DownloadZip.self)?.argument == "2")
        #expect(items[2].payload(as: SharedLink.self)?.argument == "3")
        #expect(items[3].payload(as: PaperDownload.self)?.argument == "4")
        #expect(session.reconnected.allSatisfy { $0.clientString == nil })
    }

    @Test(
        "S3 PN-08 PN-09 DBX-28 each fault is told with the raw description, and hides nothing else"
    )
    func faults() async throws {
        let bad: [(String, String, DescriptionFault)] = [
            ("mail", "", .noPersistedInfo), ("mail", #"{"$version":4}"#, .versionNotSupported),
            ("mail", "no JSON", .badFormat), ("fax", "{}", .unknownKind),
            ("mail", #"{"$version":3,"receivers":7}"#, .undecodable),
            ("mail", #"{"$version":"3"}"#, .badFormat),
        ]
        for (type, payload, _) in bad { _ = try leave(type, payload, "mine") }
        let good = try leave("mail", #"{"$version":3,"receivers":["a"]}"#)
        let session = try await bench.life().session("s", of: Mail.self)
        #expect(session.reconnected.count == bad.count + 1)
        for (item, (type, payload, kind)) in zip(session.reconnected, bad) {
            guard case .failure(let fault) = item.content else {
                Issue.record("\(payload) was read")
                continue
            }
            #expect(fault.kind == kind && fault.type == type)
            #expect(fault.description == Array(payload.utf8))
            #expect(item.clientString == "mine")
        }
        #expect(session.reconnected.last?.id == good)
        #expect(session.reconnected.last?.payload(as: Mail.self) == Mail(receivers: ["a"]))
    }

    @Test("PN-09 a task that cannot be read is cancelled, or issued again mended")
    func mended() async throws {
        let ids = [try leave("fax", "no JSON", "a"), try leave("fax", "no JSON", "b")]
        let session = try await bench.life().session("s", of: Mail.self)
        try await session.cancel(ids[0])
        let new = try await session.reissue(
            ids[1], type: "mail", payload: Array(#"{"to":"b"}"#.utf8))
        try await bench.agent { _ in .success(result: nil) }
        let item = try await session.ends(1)[0]
        #expect(item.id == new && item.clientString == "b")
        #expect(item.payload(as: Mail.self) == Mail(receivers: ["b"]))
    }

    @Test("PN-18 DBX-29 what older programs wrote is read, also while it is under way")
    func older() async throws {
        do {
            let former = try await bench.life().session("s")
            try await former.enqueue(OldMail(to: "a,b"))
        }
        _ = try leave("mail", #"{"$version":2,"to":"a,b"}"#)
        let session = try await bench.life().session("s", of: Mail.self)
        let mails = session.reconnected.map { $0.payload(as: Mail.self)?.receivers }
        #expect(mails == [["a,b"], ["a", "b"]])
        try await session.enqueue(Mail(receivers: ["c"]))
        let bytes = try await session.store.read { try $0.payload(of: 3) }
        #expect(bytes == Array(#"{"$version":3,"receivers":["c"]}"#.utf8))
    }

    @Test("PN-18 a handler reads what older programs wrote; what a newer one wrote waits for it")
    func handlers() async throws {
        let ids = try ["", "$version", "$later"].map { key in
            try leave(
                "mail",
                key.isEmpty
                    ? #"{"to":"a"}"#
                    : key == "$later"
                        ? #"{"$version":9}"# : #"{"$version":3,"receivers":["b","c"]}"#)
        }
        let agent = try bench.life("agent")
        try agent.handle(Mail.self, returning: [String].self) { mail, _ in mail.receivers }
        try await agent.drain()
        let session = try await bench.life().session("s")
        let results = try session.reconnected.map { try $0.result(as: [String].self) }
        #expect(session.reconnected.map(\.id) == ids)
        #expect(results == [["a"], ["b", "c"], nil])
        #expect(session.reconnected[2].task.waiting?.parking?.cause == .handler)
    }

    @Test("PN-18 only an object can have a version, and nothing is enqueued without it")
    func versionedList() async throws {
        struct List: TaskPayload {
            static let taskType = "list"
            static let payloadVersion = 2
            var items: [Int]
            init(items: [Int]) { self.items = items }
            init(from decoder: any Decoder) throws {
                items = try decoder.singleValueContainer().decode([Int].self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(items)
            }
        }
        let session = try await bench.life().session("s")
        await #expect(throws: QueueError.self) {
            try await session.enqueue(List(items: [1]))
        }
        let count = try await session.store.read { try $0.awaitedTasks(session: "s").count }
        #expect(count == 0)
    }
}
