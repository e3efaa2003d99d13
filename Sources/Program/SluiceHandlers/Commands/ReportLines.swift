import SluiceModel

/// Parses the lines that a command writes to its report descriptor (A7).
///
/// A line is a JSON object with `fraction`, `text`, `stage` or `log`, or with instructions for the
/// next attempt: `retryAfter`, a duration, or `restart`. Any other line is a log line. The parser
/// refuses a line with a repeated key and logs its position. Line length, text length and the
/// number of lines have limits.
struct ReportLines {
    static let lineLimitBytes = 16 << 10
    static let textLimitBytes = 1 << 10
    static let logLimitLines = 1000

    enum Entry: Equatable {
        case progress(Double?, text: String?)
        case log(String)
        case stage(String)
        case retryAfter(milliseconds: Int64)
        case restart(Bool)
    }

    private var waiting: [UInt8] = []
    private var isPassingOver = false
    private var logged = 0
    private var number = 0

    /// The entries of the lines that are complete now; only the last progress among them.
    mutating func take(_ bytes: [UInt8]) -> [Entry] {
        var entries: [Entry] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, part) in lines.enumerated() {
            grow(by: part)
            if index < lines.count - 1 { endLine(&entries) }
        }
        return Self.lastProgressOnly(entries)
    }

    /// The entry of a last line without its newline.
    mutating func end() -> [Entry] {
        var entries: [Entry] = []
        endLine(&entries)
        return entries
    }

    private mutating func grow(by part: ArraySlice<UInt8>) {
        guard !isPassingOver else { return }
        waiting += part.prefix(Self.lineLimitBytes - waiting.count)
        isPassingOver = waiting.count == Self.lineLimitBytes
    }

    private mutating func endLine(_ entries: inout [Entry]) {
        defer {
            waiting = []
            isPassingOver = false
        }
        number += 1
        guard waiting.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        for entry in Self.said(in: waiting, number: number) {
            if case .log = entry {
                logged += 1
                if logged == Self.logLimitLines + 1 {
                    entries.append(.log("further log lines were dropped"))
                }
                if logged > Self.logLimitLines { continue }
            }
            entries.append(entry)
        }
    }

    /// The entries of a line. `number` is its position, for an error.
    static func said(in line: [UInt8], number: Int) -> [Entry] {
        let text = bounded(String(decoding: line, as: UTF8.self))
        do throws(JSONError) {
            let value = try JSONValue.parse(line, allowsRepeatedKeys: false)
            return value.object.flatMap(entries) ?? [.log(text)]
        } catch {
            guard error.isRepeatedKey else { return [.log(text)] }
            let place = "line \(number), column \(error.column)"
            return [.log(bounded("report refused, \(place): \(error.message)"))]
        }
    }

    /// Returns `nil` if the object has an invalid field.
    private static func entries(of object: JSONObject) -> [Entry]? {
        let (fraction, text, log) = (object["fraction"], object["text"], object["log"])
        let stage = object["stage"]
        let (retryAfter, restart) = (object["retryAfter"], object["restart"])
        let wait = retryAfter?.string.flatMap(DurationText.milliseconds)
        guard fraction.map({ $0.isNull || $0.double?.isFinite == true }) ?? true,
            text.map({ $0.isNull || $0.string != nil }) ?? true,
            log.map({ $0.isNull || $0.string != nil }) ?? true,
            stage.map({ $0.isNull || $0.string != nil }) ?? true,
            retryAfter == nil || wait != nil, restart == nil || restart?.bool != nil
        else { return nil }
        var entries: [Entry] = []
        if let wait { entries.append(.retryAfter(milliseconds: wait)) }
        if let restart = restart?.bool { entries.append(.restart(restart)) }
        let part = fraction?.double.map { min(max($0, 0), 1) }
        if part != nil || text?.string != nil {
            entries.append(.progress(part, text: (text?.string).map(bounded)))
        }
        if let name = stage?.string { entries.append(.stage(name)) }
        if let line = log?.string { entries.append(.log(bounded(line))) }
        return entries.isEmpty ? nil : entries
    }

    private static func bounded(_ text: String) -> String {
        BoundedText.prefix(text, bytes: textLimitBytes)
    }

    private static func lastProgressOnly(_ entries: [Entry]) -> [Entry] {
        func isProgress(_ entry: Entry) -> Bool {
            if case .progress = entry { true } else { false }
        }
        let last = entries.lastIndex(where: isProgress)
        return entries.enumerated().filter { $0.offset == last || !isProgress($0.element) }
            .map(\.element)
    }
}
