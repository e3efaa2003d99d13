import SluiceModel
import SluiceSystem

/// A terminal's output with its times, in asciinema's format.
final class Recording {
    private(set) var lines: [String]
    /// Omits output after this time.
    var end = UInt64.max
    private let begin = SystemClock.monotonicNanoseconds()
    private var rest: [UInt8] = []

    init(title: String, columns: Int, rows: Int) {
        let head: JSONValue = [
            "version": .integer(2), "width": .integer(Int64(columns)),
            "height": .integer(Int64(rows)), "title": .string(title),
        ]
        lines = [head.text]
    }

    /// Adds output; a character that is not whole yet waits for its end.
    func add(_ bytes: [UInt8], at moment: UInt64) {
        let all = rest + bytes
        let end = all.suffix(3).lastIndex { $0 >= 0xC0 }.map { start in
            all.count - start < Self.length(all[start]) ? start : all.count
        }
        rest = Array(all[(end ?? all.count)...])
        add("o", String(decoding: all[..<(end ?? all.count)], as: UTF8.self), at: moment)
    }

    /// Adds a mark that players show.
    func mark(_ text: String) { add("m", text, at: SystemClock.monotonicNanoseconds()) }

    private func add(_ kind: String, _ text: String, at moment: UInt64) {
        guard moment <= end else { return }
        let microseconds = Int64(max(moment, begin) - begin) / 1000
        let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        let seconds = "\(microseconds / 1_000_000).\(fraction)"
        lines.append("[\(seconds), \"\(kind)\", \(JSONValue.string(text).text)]")
    }

    private static func length(_ first: UInt8) -> Int {
        first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    }
}
