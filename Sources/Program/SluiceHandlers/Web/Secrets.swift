/// Values that must not appear in a store, journal, log or error: the variable's name replaces
/// them.
///
/// Servers' answers are searched too, since a server may echo a value. Values shorter than four
/// bytes are not secrets: they occur everywhere.
struct Secrets: Hashable, Sendable {
    static let shortestBytes = 4

    private struct Entry: Hashable, Sendable {
        let value: [UInt8]
        let sign: [UInt8]
    }

    private let entries: [Entry]

    /// Secrets by the names of their variables.
    init(_ values: [String: String] = [:]) {
        entries = values.map {
            Entry(value: Array($0.value.utf8), sign: Array("${\($0.key)}".utf8))
        }
        .filter { $0.value.count >= Self.shortestBytes }
        // One secret may be a prefix of another, so search for the longest first.
        .sorted {
            $0.value.count != $1.value.count
                ? $0.value.count > $1.value.count
                : $0.sign.lexicographicallyPrecedes($1.sign)
        }
    }

    /// The bytes without any secret.
    func hidden(_ bytes: [UInt8]) -> [UInt8] {
        guard !entries.isEmpty else { return bytes }
        let beginnings = Set(entries.compactMap(\.value.first))
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            let entry =
                beginnings.contains(bytes[place])
                ? entries.first { bytes[place...].starts(with: $0.value) } : nil
            if let entry {
                shown += entry.sign
                place += entry.value.count
            } else {
                shown.append(bytes[place])
                place += 1
            }
        }
        return shown
    }

    /// The text without any secret.
    func hidden(_ text: String) -> String {
        entries.isEmpty ? text : String(decoding: hidden(Array(text.utf8)), as: UTF8.self)
    }
}
