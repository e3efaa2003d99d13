import SluiceSystem
import Testing

@Suite("Files that are whole before anybody reads them")
struct SealedFileTests {
    @Test("A1 a sealed file holds all its bytes, in memory and on disk", arguments: [true, false])
    func whole(inMemory: Bool) throws {
        let bytes = (0..<300_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let file = try Files.makeSealed(bytes, in: inMemory ? .memory : .disk)
        #expect(try file.readAll(limitBytes: 1 << 20) == bytes)
        let status = try file.status()
        #expect(status.kind == .file && status.sizeBytes == 300_003)
        if !inMemory { #expect(status.mode == 0o600) }
    }

    @Test("A1 what is sealed in memory cannot be changed by anybody")
    func sealed() throws {
        let file = try Files.makeSealed(Array("payload".utf8))
        #expect(throws: SystemError.self) { try file.truncate(to: 3) }
        try file.seek(toByte: 0)
        #expect(throws: SystemError.self) { try file.writeAll(Array("P".utf8)) }
        #expect(try file.readAll(limitBytes: 99) == Array("payload".utf8))
    }
}
