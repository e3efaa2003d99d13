extension UniquePolicy {
    /// A unique key with the policy behind its last colon, `keep` where none is said; a key may
    /// hold colons itself.
    package static func split(_ text: String) -> (key: String, policy: UniquePolicy) {
        guard let colon = text.lastIndex(of: ":"),
            let policy = UniquePolicy(rawValue: String(text[text.index(after: colon)...]))
        else { return (text, .keep) }
        return (String(text[..<colon]), policy)
    }
}
