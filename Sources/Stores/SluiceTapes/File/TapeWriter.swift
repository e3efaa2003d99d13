import SluiceModel
import SluiceStore
import SluiceSystem

/// The file of a tape while it is recorded: made anew, for its owner alone, and written line by
/// line.
final class TapeWriter {
    let path: String
    private let file: FileDescriptor
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private static let fullBytes = 1 << 18

    /// Makes the file; throws `badValue` where something has the name, and `denied`.
    init(_ path: String) throws(QueueError) {
        self.path = path
        do {
            file = try Files.create(path)
        } catch {
            guard Files.exists(path) else {
                throw QueueError(
                    .denied, error.sentence, fix: "name a file in a folder that you may write to")
            }
            throw QueueError(
                .badValue, "\(path) is there already", fix: "name a file that is not there yet")
        }
    }

    func write(_ header: TapeHeader) throws(QueueError) { try write(header.line) }

    func writeBeginning(_ changes: [TapeChange]) throws(QueueError) {
        if !changes.isEmpty { try write(TapeLine.begin(changes)) }
    }

    func write(_ commit: TapeCommit, at moment: Timestamp) throws(QueueError) {
        count += 1
        try write(TapeLine.event(count, commit, at: moment))
    }

    func write(_ ending: TapeEnding) throws(QueueError) {
        try write(ending.line)
        try flush()
        do {
            try file.sync()
        } catch {
            throw failure(error)
        }
    }

    private func write(_ line: JSONValue) throws(QueueError) {
        TapeSum.seal(line.text, into: &bytes)
        if bytes.count >= Self.fullBytes { try flush() }
    }

    /// Hands all lines to the system.
    func flush() throws(QueueError) {
        guard !bytes.isEmpty else { return }
        do {
            try file.writeAll(bytes)
        } catch {
            throw failure(error)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    private func failure(_ error: SystemError) -> QueueError {
        QueueError(
            .denied, "\(path) cannot be written: \(error.sentence)",
            fix: "the recording ends here")
    }
}
