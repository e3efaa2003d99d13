import SluiceModel
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("What an export that died leaves")
struct LeftoverTests {
    private func sink(_ format: TransferFormat, _ path: String) throws -> any TransferSink {
        switch format {
        case .lines: try LinesSink(path: path)
        case .sqlite: try SQLiteSink(path: path, source: "a", person: "ann", now: { at(0) })
        case .folder: try FolderSink(path: path)
        case .har: try HARSink(path: path, version: "1")
        }
    }

    @Test(
        "D12 the next export of a name removes what a killed one has left, and no other's",
        arguments: TransferFormat.allCases)
    func leftovers(_ format: TransferFormat) throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue([request("t")], to: "q")
        // An export in progress, another export's files, and a similar name.
        let other = try sink(format, ground.path("out"))
        try Files.makeDirectory(ground.path("outer.1x2y3z.unfinished"))
        try Files.makeDirectory(ground.path("out.my own.unfinished"))
        // The files of a killed process, without a lock holder.
        try Files.makeDirectory(ground.path("out.1x2y3z.unfinished/run"), withParents: true)
        try ground.write("half", to: "out.1x2y3z.unfinished/lines")
        let before = try ground.names().count
        let export = TransferExport(
            from: try ground.source(store), to: try sink(format, ground.path("out")))
        #expect(try export.run().tasks == (format == .har ? 0 : 1))
        var names = try ground.names()
        #expect(!names.contains("out.1x2y3z.unfinished") && names.contains("out"))
        #expect(names.count == before)
        // The second export finds the name taken.
        let late = TransferExport(from: try ground.source(store), to: other)
        #expect(throws: QueueError.self) { try late.run() }
        names = try ground.names()
        #expect(
            names == ["a.db", "out", "out.my own.unfinished", "outer.1x2y3z.unfinished"], "\(names)"
        )
    }
}
