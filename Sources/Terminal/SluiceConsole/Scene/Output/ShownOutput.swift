import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalUI

/// The output of a running child, as a task's page and the preview show it.
package struct ShownOutput: Hashable, Sendable {
    /// More lines than a person scrolls, and few enough to draw with each key.
    static let lineLimit = 1000

    package let lines: [String]
    /// The age of the last line when it was read.
    package let ageMilliseconds: Int64
    /// The shown part, for the title; `nil` for the whole output.
    package let part: String?
    private let memo = RowMemo()

    init(_ tail: AttemptTail, machineNow: Int64) {
        let all = PrintedText.lines(tail.bytes, isCut: tail.isCut, limit: Self.lineLimit + 1)
        lines = Array(all.suffix(Self.lineLimit))
        ageMilliseconds = max(0, machineNow - tail.printedAt)
        part =
            all.count > Self.lineLimit
            ? "the last \(NumberText.grouped(Self.lineLimit)) lines"
            : tail.isCut ? "the last \(SizeText.compact(AttemptTail.limitBytes))" : nil
    }

    package static func == (one: ShownOutput, other: ShownOutput) -> Bool {
        one.lines == other.lines && one.ageMilliseconds == other.ageMilliseconds
            && one.part == other.part
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(lines) }

    /// Its lines wrapped to a width. Wraps once for each width, because a picture asks several
    /// times.
    func rows(columns: Int, glyphs: GlyphSet) -> [String] {
        memo.rows.withLock { known in
            if let known, known.columns == columns, known.glyphs == glyphs {
                return known.rows
            }
            let rows = lines.flatMap { line in
                line.isEmpty
                    ? [""]
                    : DisplayText.wrapped(line, to: columns, limit: line.utf8.count, glyphs: glyphs)
            }
            known = RowMemo.Rows(columns: columns, glyphs: glyphs, rows: rows)
            return rows
        }
    }

    /// The title for its lines, such as `output, the last 64KiB  3s ago`.
    var title: String {
        let name = part.map { "output, \($0)" } ?? "output"
        return ageMilliseconds < 1000
            ? "\(name)  now" : "\(name)  \(DurationText.short(ageMilliseconds)) ago"
    }
}

/// The rows of an output for the last width.
private final class RowMemo: Sendable {
    struct Rows {
        let columns: Int
        let glyphs: GlyphSet
        let rows: [String]
    }

    let rows = Protected<Rows?>(nil)
}

extension LoadedScene {
    /// The scene with the output of the subject's running child. `machineNow` is the time by this
    /// machine's clock, which dates the files.
    package func withOutput(in runFolder: String?, machineNow: Int64) -> LoadedScene {
        guard let attempt = detail?.attempts.last, attempt.outcome == nil, attempt.childPID != nil,
            let task = detail?.line.task
        else { return self }
        var scene = self
        do throws(SystemError) {
            scene.output = try AttemptTail(of: task, runFolder: runFolder).map {
                ShownOutput($0, machineNow: machineNow)
            }
            if scene.output == nil {
                scene.outputTrouble = try AttemptTail.loss(of: task, runFolder: runFolder)?.sentence
            }
        } catch {
            scene.outputTrouble = error.sentence
        }
        return scene
    }
}
