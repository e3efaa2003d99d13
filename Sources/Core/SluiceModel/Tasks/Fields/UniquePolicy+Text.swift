extension UniquePolicy {
    /// Splits a unique key from the policy after its last colon; the default is `keep`. A key may
    /// contain colons.
    package static func split(_ text: String) -> (key: String, policy: UniquePolicy) {
        guard let colon = text.lastIndex(of: ":"),
            let policy = UniquePolicy(rawValue: String(text[text.index(after: colon)...]))
        else { return (text, .keep) }
        return (String(text[..<colon]), policy)
    }
}
