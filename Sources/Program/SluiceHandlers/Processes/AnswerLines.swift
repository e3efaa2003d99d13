import SluiceModel
import SluiceRunner
import SluiceStore

/// Reads the lines that a program that stays writes to its standard output: what a command may
/// report, follow-ups, signs of life, and the outcome of its task.
struct AnswerLines {
    /// The maximum line length: a result and its envelope.
    static let lineLimitBytes = BoundedOutput.limitBytes + 64 << 10

    enum Entry: Equatable {
        case report(ReportLines.Entry)
        case followUp(FollowUp)
        case heartbeat
        /// The outcome of the task that it names; nil if it names none.
        case outcome(of: TaskID?, HandlerOutcome)
        /// The content is unknown.
        case tooLong
    }

    private var splitter = LineSplitter(limitBytes: lineLimitBytes)
    private var number = 0

    /// The entries completed by these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Entry] {
        splitter.take(bytes).flatMap { said(in: $0) }
    }

    /// The entry of a last line without a newline.
    mutating func end() -> [Entry] { splitter.end().map { said(in: $0) } ?? [] }

    private mutating func said(in line: LineSplitter.Line) -> [Entry] {
        number += 1
        if line.isCut { return [.tooLong] }
        guard line.bytes.contains(where: { $0 > UInt8(ascii: " ") }) else { return [.heartbeat] }
        let parsed = try? JSONValue.parse(
            ByteOrderMark.removed(from: line.bytes), allowsRepeatedKeys: false)
        guard let object = parsed?.object else { return reports(line) }
        if object["outcome"] != nil {
            return [.outcome(of: object["id"]?.integer, AnswerOutcome(object).outcome)]
        }
        if object["heartbeat"] != nil { return [.heartbeat] }
        if let wanted = object["followUp"] {
            do throws(FollowUpLine.Mistake) {
                return [.followUp(try FollowUpLine.read(wanted))]
            } catch {
                let id = object["id"]?.integer
                return [.outcome(of: id, .giveUp(error: "its follow-up: \(error.sentence)"))]
            }
        }
        return reports(line)
    }

    private func reports(_ line: LineSplitter.Line) -> [Entry] {
        let bytes = Array(line.bytes.prefix(ReportLines.lineLimitBytes))
        return ReportLines.said(in: bytes, number: number).map { .report($0) }
    }
}
