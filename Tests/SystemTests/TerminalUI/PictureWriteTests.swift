import Glibc
import SluiceCCurses
import Testing

@Suite("The bytes of a picture")
struct PictureWriteTests {
    @Test("changes in many rows leave in one write")
    func oneWrite() throws {
        var ends: [Int32] = [0, 0]
        // A socket of this kind keeps each write apart.
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in ends + [input] { close(descriptor) } }
        try #require(ccur_open("xterm-256color", input, ends[1]) == .opened)
        defer { ccur_close() }
        ccur_show(-1, 0)
        _ = packets(ends[0])

        for row: Int32 in [1, 4, 9, 15, 20] { put("row \(row)", row: row, column: 3 * row) }
        ccur_show(-1, 0)

        let sent = packets(ends[0])
        #expect(sent.count == 1)
        for row in [1, 4, 9, 15, 20] { #expect(sent.joined().contains("row \(row)")) }
    }

    private func put(_ text: String, row: Int32, column: Int32) {
        let cells = text.unicodeScalars.map {
            ccur_cell(scalars: ($0.value, 0, 0, 0, 0), style: 0)
        }
        ccur_put(row, column, cells, cells.count)
    }

    private func packets(_ descriptor: Int32) -> [String] {
        var found: [String] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            found.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
        return found
    }
}
