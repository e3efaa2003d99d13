import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// `/` in what a command printed, and in a difference.
extension ConsoleState {
    /// The letters that the list's filter matches in a task.
    var hits: [FoldedLetters] { view == .inventory ? list.filter?.hits ?? [] : [] }

    /// The letters that the text on top marks.
    var lettersInText: [FoldedLetters] { wordInText.isEmpty ? [] : [FoldedLetters(wordInText)] }

    /// Scrolls to the next line with a word, and wraps around.
    mutating func goOnInText(to word: String) {
        guard let page, let (lines, top) = page.text else { return }
        wordInText = word
        guard !word.isEmpty else { return }
        let letters = FoldedLetters(word)
        let places = lines.indices.filter { letters.stand(in: lines[$0]) }
        guard let first = places.first else {
            message = .refusal("no line has \"\(word)\"")
            return
        }
        let last = max(0, lines.count - layout.pageRect.height)
        let next = places.first { min($0, last) > top } ?? first
        pages[pages.count - 1] = page.showing(line: next, top: min(next, last))
        let count = NumberText.grouped(places.count)
        message = .note("\(count) line\(places.count == 1 ? " has" : "s have") \"\(word)\"")
    }
}

extension Page {
    /// The searchable lines, and the first visible one.
    fileprivate var text: (lines: [String], top: Int)? {
        switch self {
        case .text(_, let lines, let top): (lines, top)
        case .difference(let page): (page.lines.map(\.text), page.top)
        default: nil
        }
    }

    /// The page scrolled to a line, with the cursor on its item.
    fileprivate func showing(line: Int, top: Int) -> Page {
        switch self {
        case .text(let title, let lines, _): return .text(title: title, lines: lines, top: top)
        case .difference(var page):
            page.top = top
            page.choice = page.heads.lastIndex { $0 <= line } ?? 0
            return .difference(page)
        default: return self
        }
    }
}
