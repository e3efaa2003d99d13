import SluiceModel
import SluiceTerminalUI

/// The changes of an edit, line by line of the formatted payloads.
struct PayloadDifference {
    let difference: LineDifference

    init(before: [UInt8], after: [UInt8]) {
        difference = LineDifference(Self.text(before), Self.text(after))
    }

    func lines(limit: Int = 200, glyphs: GlyphSet = .unicode) -> [StyledLine] {
        guard !difference.isSame || difference.isCut else {
            return [StyledLine("only blanks differ", .quiet)]
        }
        return difference.lines(limit: limit, glyphs: glyphs)
    }

    private static func text(_ bytes: [UInt8]) -> [String] {
        let text =
            (try? JSONValue.parse(bytes))?.text(indent: 2)
            ?? String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
