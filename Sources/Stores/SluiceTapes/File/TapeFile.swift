package import SluiceModel
import SluiceSQL
package import SluiceStore
import SluiceSystem

/// A tape file (G6): lines of JSON. Memory holds only their offsets, so a tape may be larger than
/// memory.
package final class TapeFile: Sendable {
    package let path: String
    package let header: TapeHeader
    /// Why it ends; nil where it was cut off.
    package let ending: TapeEnding?
    private let file: FileDescriptor
    private let index: TapeIndex
    private let memoryLeft: @Sendable () -> Int64?
    private let askEveryBytes: Int
    /// The number of bytes read since the last check of free memory.
    private let unasked = Protected(0)
    private static let headerLimit = 1 << 20
    /// The memory that one read may need, with a large margin.
    private static let reserveBytes: Int64 = 64 << 20

    package var count: Int { index.events.count }

    /// A warning about an incomplete tape; `nil` if it is complete.
    package var remark: String? {
        if let ending {
            guard ending.reason != TapeEnding.stopped else { return nil }
            return "the recording ended early at \(TimeText.rfc3339(ending.at)): \(ending.reason)"
        }
        return count > 0
            ? "the tape is cut off after event \(count)"
            : "the tape is cut off before its first event: of its first state a "
                + "part may be missing"
    }

    package static func isThere(_ path: String) -> Bool {
        guard Files.kind(path) == .file,
            let file = try? FileDescriptor(readingPlain: path),
            let head = try? Self.read(file, at: 0, count: TapeHeader.mark.count)
        else { return false }
        return head == TapeHeader.mark
    }

    /// Whether the file exists for a tape without any content.
    private static func isEmpty(_ path: String) -> Bool {
        guard Files.kind(path) == .file,
            let file = try? FileDescriptor(readingPlain: path)
        else { return false }
        return (try? read(file, at: 0, count: 1)) == []
    }

    /// Opens a tape and scans it once for the offsets of its lines. Checks free memory after every
    /// `bytes` read; `nil` from `memoryLeft` means no limit. Throws `noStore`, `notAStore`,
    /// `newerSchema`, `damagedStore` or `denied`.
    package init(
        _ path: String, askingEvery bytes: Int = 4 << 20,
        memoryLeft: @escaping @Sendable () -> Int64? = FreeMemory.bytes
    ) throws {
        (self.path, askEveryBytes, self.memoryLeft) = (path, bytes, memoryLeft)
        guard Files.exists(path) else {
            throw QueueError(
                .noStore, "there is no tape at \(path)", fix: "sluice record FILE makes one")
        }
        guard !Self.isEmpty(path) else {
            throw QueueError(
                .notAStore,
                "\(path) is empty: its recording ended before anything was written to it",
                fix: "record again into another file")
        }
        guard Self.isThere(path) else {
            throw QueueError(
                .notAStore, "\(path) is no tape", fix: "name a file that sluice record made")
        }
        do {
            file = try FileDescriptor(readingPlain: path)
            index = try TapeIndex(file, path)
            let first = try Self.read(
                file, at: 0, count: min(Self.headerLimit, Int(index.headerEnd)))
            header = try TapeHeader(first, of: path)
            if let line = index.ending {
                let count = Int(line.upperBound - line.lowerBound)
                let bytes = try Self.read(file, at: line.lowerBound, count: count)
                guard !header.hasSums || TapeSum.fits(bytes) else {
                    let number = index.lineNumber(of: index.events.count) + 1
                    throw Self.edited(path, TapeSum.misfit(line: number))
                }
                ending = TapeEnding(bytes)
            } else {
                ending = nil
            }
        } catch let error as SystemError {
            throw QueueError(.denied, error.sentence)
        }
    }

    /// The number of parts of the initial contents.
    var beginningParts: Int { index.begins.count }

    /// A part of the initial contents, counted from 0.
    func beginning(_ part: Int) throws -> TapeCommit {
        let line = index.begins[part]
        let number = index.lineNumber(ofBeginning: part)
        guard let list = try parsed(line, number)["begin"]?.array else {
            throw QueueError(.damagedStore, "a line is no list")
        }
        var commit = TapeCommit(at: header.since)
        commit.changes = try list.map { try TapeChange(stored: $0) }
        return commit
    }

    /// An event, from 1.
    package func event(_ number: Int) throws -> TapeCommit {
        do {
            let line = index.line(of: number)
            return try TapeCommit(stored: parsed(line, index.lineNumber(of: number)))
        } catch let error as QueueError where error.code == .damagedStore {
            throw Self.edited(path, "event \(number) cannot be read (\(error.message))")
        }
    }

    /// When an event was; 0 is the beginning.
    package func moment(of number: Int) throws -> Timestamp {
        guard number > 0 else { return header.since }
        let line = index.line(of: number)
        let head = try Self.read(
            file, at: line.lowerBound, count: min(64, Int(line.upperBound - line.lowerBound)))
        guard let found = TapeIndex.number(behind: "\"at\":", in: head) else {
            throw Self.edited(path, "event \(number) has no moment")
        }
        return Timestamp(milliseconds: found)
    }

    /// The last event that was not later than a moment; 0 is the beginning.
    package func event(at moment: Timestamp) throws -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high + 1) / 2
            if try self.moment(of: middle) <= moment { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private func parsed(_ line: Range<Int64>, _ number: Int) throws -> JSONValue {
        let count = Int(line.upperBound - line.lowerBound)
        try makeSure(ofMemoryFor: count)
        let bytes = try Self.read(file, at: line.lowerBound, count: count)
        guard !header.hasSums || TapeSum.fits(bytes) else {
            throw QueueError(.damagedStore, TapeSum.misfit(line: number))
        }
        do {
            return try JSONValue.parse(bytes)
        } catch {
            throw QueueError(.damagedStore, error.description)
        }
    }

    /// Check first: a process that runs out of memory cannot report it.
    private func makeSure(ofMemoryFor count: Int) throws(QueueError) {
        let isDue = unasked.withLock { unasked in
            unasked += count
            guard unasked >= askEveryBytes else { return false }
            unasked = 0
            return true
        }
        guard isDue, let left = memoryLeft(), left < Self.reserveBytes + Int64(count) * 8 else {
            return
        }
        throw QueueError(
            .denied,
            "\(path) holds more than there is memory for: \(left >> 20) MiB are left for it",
            fix: "open it at an earlier event, or where there is more memory")
    }

    private static func read(
        _ file: FileDescriptor, at offset: Int64, count: Int
    ) throws(QueueError) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                used = 0
                let raw = UnsafeMutableRawBufferPointer(buffer)
                while used < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: raw[used...])
                    let got = try file.read(into: rest, at: offset + Int64(used))
                    if got == 0 { break }
                    used += got
                }
            }
        } catch let error as SystemError {
            throw QueueError(.denied, error.sentence)
        } catch {
            throw QueueError(.denied, "\(error)")
        }
    }

    /// The error for a tape with edited content.
    static func edited(_ path: String, _ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(path) was changed since it was recorded: \(what)",
            fix: "take a copy that was not edited")
    }
}
