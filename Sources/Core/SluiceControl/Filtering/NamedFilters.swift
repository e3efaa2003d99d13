package import SluiceModel

/// Named filters, which other filters use as `@name` (F1).
package struct NamedFilters: Hashable, Sendable {
    package private(set) var texts: [String: String]

    package init(_ texts: [String: String] = [:]) { self.texts = texts }

    /// Saves a filter under a name and replaces an older one. It may use `others`. Returns the name
    /// and its text in one line. Throws `badFilter` for an invalid filter and `badName` for an
    /// invalid name.
    package mutating func save(
        _ name: String, _ text: String, beside others: [String: String] = [:]
    ) throws(QueueError) -> (name: String, line: String) {
        let bare = Self.bare(name)
        guard Self.isName(bare) else {
            throw QueueError(
                .badName, "\"\(name)\" names no filter", fix: "use letters, digits, - and _")
        }
        let line = text.split { $0.isNewline }.joined(separator: " ")
        var known = others.merging(texts) { $1 }
        known[bare] = line
        _ = try TaskFilter("@\(bare)", saved: known)
        texts[bare] = line
        return (bare, line)
    }

    /// Removes a filter and returns its name. Throws `badName` if it is missing, or if other
    /// filters use it.
    package mutating func remove(
        _ name: String, beside others: [String: String] = [:]
    ) throws(QueueError) -> String {
        let bare = Self.bare(name)
        guard texts[bare] != nil else {
            let near = Spelling.nearest(to: bare, among: texts.keys.sorted())
            throw QueueError(
                .badName, "there is no saved filter \"\(bare)\"",
                fix: near.map { "did you mean \($0)?" } ?? "sluice filter list shows them")
        }
        var rest = texts
        rest[bare] = nil
        let (before, after) = (others.merging(texts) { $1 }, others.merging(rest) { $1 })
        for other in rest.keys.sorted() {
            guard (try? TaskFilter("@\(other)", saved: before)) != nil,
                (try? TaskFilter("@\(other)", saved: after)) == nil
            else { continue }
            throw QueueError(
                .badName, "@\(other) is made with @\(bare)", fix: "remove or save @\(other) first")
        }
        texts = rest
        return bare
    }

    /// The name without an optional leading `@`.
    package static func bare(_ name: String) -> String {
        name.hasPrefix("@") ? String(name.dropFirst()) : name
    }

    /// Whether a filter may have this name.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
}
