import SluiceModel
import SluiceSystem

/// The offsets of a tape's lines, from one pass over the file.
struct TapeIndex: Sendable {
    /// The end of the first line.
    private(set) var headerEnd: Int64 = 0
    /// The lines of the beginning.
    private(set) var begins: [Range<Int64>] = []
    private(set) var events: [Int64] = []
    private var eventsEnd: Int64 = 0
    private(set) var ending: Range<Int64>?
    private var lines = 0
    private static let chunkBytes = 1 << 20
    private static let headBytes = 32

    init(_ file: FileDescriptor, _ path: String) throws {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        var (offset, start): (Int64, Int64) = (0, 0)
        var head: [UInt8] = []
        while true {
            let got = try chunk.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
            if got == 0 { break }
            var place = 0
            while place < got {
                let end = Self.newline(in: chunk, from: place, to: got)
                let wanted = min(Self.headBytes - head.count, (end ?? got) - place)
                if wanted > 0 { head += chunk[place..<place + wanted] }
                guard let end else { break }
                let next = offset + Int64(end) + 1
                try take(head, start..<next, path)
                (start, place) = (next, end + 1)
                head.removeAll(keepingCapacity: true)
            }
            offset += Int64(got)
        }
        guard headerEnd > 0 else { throw TapeFile.edited(path, "its first line has no end") }
    }

    /// The line of an event, from 1.
    func line(of number: Int) -> Range<Int64> {
        events[number - 1]..<(number < events.count ? events[number] : eventsEnd)
    }

    /// The number among the lines of a part of the beginning, from 0.
    func lineNumber(ofBeginning part: Int) -> Int { 2 + part }

    /// The number among the lines of an event, from 1.
    func lineNumber(of event: Int) -> Int { 1 + begins.count + event }

    private mutating func take(
        _ head: [UInt8], _ line: Range<Int64>, _ path: String
    ) throws(QueueError) {
        lines += 1
        if lines == 1 {
            headerEnd = line.upperBound
        } else if ending != nil {
            throw TapeFile.edited(path, "line \(lines) is after its end")
        } else if head.starts(with: TapeLine.eventMark) {
            let number = Self.number(behind: "{\"event\":", in: head)
            guard number == Int64(events.count) + 1 else {
                let found = number.map { "event \($0)" } ?? "something else"
                throw TapeFile.edited(
                    path, "line \(lines) is \(found) where event \(events.count + 1) was")
            }
            events.append(line.lowerBound)
            eventsEnd = line.upperBound
        } else if head.starts(with: TapeLine.beginMark), events.isEmpty {
            begins.append(line)
        } else if head.starts(with: TapeEnding.mark) {
            ending = line
        } else {
            throw TapeFile.edited(path, "line \(lines) is no line of a tape")
        }
    }

    private static func newline(in chunk: [UInt8], from start: Int, to end: Int) -> Int? {
        chunk.withUnsafeBytes { bytes in
            bytes[start..<end].firstIndex(of: UInt8(ascii: "\n"))
        }
    }

    /// The integer after some letters.
    static func number(behind letters: String, in bytes: [UInt8]) -> Int64? {
        let wanted = Array(letters.utf8)
        guard bytes.count > wanted.count else { return nil }
        for start in 0..<bytes.count - wanted.count
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            let digits = bytes[(start + wanted.count)...].prefix { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        return nil
    }
}
