/// A value at the place of a rate for each key, as its fingerprint (Q13): a value may be long, or a
/// secret. All payloads without the place have one key together.
package struct RateKey: Hashable, Sendable {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }

    package init(_ path: PayloadPath, in payload: [UInt8]) {
        value = path.text(in: payload).map { Fingerprint(of: $0).value } ?? 0
    }
}

/// Until when the starts of each key are paid for, in microseconds of the store's clock (Q13).
package struct PaidKeys: Hashable, Sendable {
    package private(set) var times: [RateKey: Int64] = [:]

    package init() {}

    /// Times as a store keeps them.
    package init(_ times: [RateKey: Int64]) { self.times = times }

    package var isEmpty: Bool { times.isEmpty }

    /// Sets the time of a key, and drops the keys whose time is over.
    mutating func set(_ until: Int64, of key: RateKey, at now: Int64) {
        times = times.filter { $0.value > now }
        times[key] = until
    }

    mutating func limit(to most: Int64) { times = times.mapValues { min($0, most) } }
}

extension Rate {
    /// The place that a text such as `payload.user` or `user` means, or nil.
    package static func place(_ text: String) -> PayloadPath? {
        var rest = text[...]
        if text.hasPrefix("payload.") {
            rest = text.dropFirst("payload.".count)
        } else if text.hasPrefix("payload[") {
            rest = text.dropFirst("payload".count)
        }
        guard let paths = PayloadPath.list(String(rest)), paths.count == 1 else { return nil }
        return paths[0]
    }

    /// The text of its place that `place` reads; nil without one.
    package var perText: String? { per.map { "payload\($0)" } }

    /// The rate in words, such as `10/1m for each payload.user`.
    package var words: String { perText.map { "\(text) for each \($0)" } ?? text }
}
