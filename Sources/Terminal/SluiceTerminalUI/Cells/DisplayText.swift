/// Text as a terminal may see it: sanitised, measured in columns, cut and filled up (K11).
package enum DisplayText {
    /// Returns the text with every character visible that could control a terminal.
    ///
    /// - Control characters become pictures (`␛`), or carets (`^[`) in ASCII.
    /// - In ASCII every other character becomes its substitute or its number, `\u{e9}`.
    /// - Direction controls and hidden scalars become `\u{202e}`.
    /// - Scalars without a width become U+FFFD.
    /// - Joined emoji stay unchanged in lines. In cells they appear one after another, without skin
    ///   tones and variants, unless the terminal joins them and they fit a cell.
    ///
    /// The time is linear in the text.
    package static func sanitized(
        _ text: String, glyphs: GlyphSet = .unicode, in place: DisplayPlace = .cells
    ) -> String {
        if isPrintableASCII(text) { return text }
        return joined(DisplayClusters(text, glyphs: glyphs, in: place))
    }

    /// The width of the sanitised text in columns.
    package static func width(
        _ text: String, glyphs: GlyphSet = .unicode, in place: DisplayPlace = .cells
    ) -> Int {
        if isPrintableASCII(text) { return text.utf8.count }
        return DisplayClusters(text, glyphs: glyphs, in: place).reduce(0) { $0 + $1.width }
    }

    /// The sanitised text in at most this many columns; a cut is shown by `…`.
    ///
    /// Looks no further than the cut, however long the text is.
    package static func truncated(
        _ text: String, to columns: Int, glyphs: GlyphSet = .unicode,
        in place: DisplayPlace = .cells
    ) -> String {
        guard columns > 0 else { return "" }
        if text.utf8.count <= columns, isPrintableASCII(text) { return text }
        return joined(fitting(text, columns: columns, glyphs: glyphs, in: place))
    }

    /// The sanitised text in exactly this many columns, the words at the left.
    package static func paddedRight(
        _ text: String, to columns: Int, glyphs: GlyphSet = .unicode,
        in place: DisplayPlace = .cells
    ) -> String {
        let cut = truncated(text, to: columns, glyphs: glyphs, in: place)
        return cut + blanks(columns - width(cut, in: place))
    }

    /// The sanitised text in exactly this many columns, the words or numbers at the right.
    package static func paddedLeft(
        _ text: String, to columns: Int, glyphs: GlyphSet = .unicode,
        in place: DisplayPlace = .cells
    ) -> String {
        let cut = truncated(text, to: columns, glyphs: glyphs, in: place)
        return blanks(columns - width(cut, in: place)) + cut
    }

    /// Breaks the sanitised text into lines of at most `columns` columns, at blanks if possible.
    ///
    /// A line feed also breaks. Makes at most `limit` lines; `…` marks omitted text.
    package static func wrapped(
        _ text: String, to columns: Int, limit: Int = 1_000, glyphs: GlyphSet = .unicode
    ) -> [String] {
        guard columns > 0, limit > 0 else { return [] }
        var wrap = LineWrap(columns: columns, limit: limit, glyphs: glyphs)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            wrap.addLine(DisplayClusters(String(line), glyphs: glyphs))
            if wrap.isFull { break }
        }
        return wrap.finished()
    }

    static func isPrintableASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    }

    /// The signs that fit, the last of them `…` when some did not.
    static func fitting(
        _ text: String, columns: Int, glyphs: GlyphSet, in place: DisplayPlace = .cells
    ) -> [DisplayCluster] {
        guard columns > 0 else { return [] }
        var kept: [DisplayCluster] = []
        var width = 0
        for cluster in DisplayClusters(text, glyphs: glyphs, in: place) {
            if width + cluster.width > columns {
                while width > columns - 1, let last = kept.popLast() { width -= last.width }
                return kept + DisplayClusters(glyphs[.ellipsis])
            }
            kept.append(cluster)
            width += cluster.width
        }
        return kept
    }

    static func joined(_ clusters: some Sequence<DisplayCluster>) -> String {
        var text = ""
        for cluster in clusters { cluster.append(to: &text) }
        return text
    }

    static func blanks(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}
