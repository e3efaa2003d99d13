extension String {
    /// The first place of a text, compared byte by byte; `nil` without one.
    ///
    /// `contains(_: String)` and `split(separator: String)` of the standard library make the
    /// runtime look up generic types, which takes longer than a search in a short text.
    package func place(of text: String) -> Index? {
        let bytes = text.utf8
        return utf8.indices.first { utf8[$0...].starts(with: bytes) }
    }
}
