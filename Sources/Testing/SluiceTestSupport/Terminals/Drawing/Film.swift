package import SluiceTerminalUI

/// A sequence of screens as one looped, animated SVG image.
///
/// Each distinct row is drawn once. Rows visible at the same times form one group, which the style
/// sheet shows and hides.
package struct Film {
    private struct Frame {
        var rows: [[ScreenCell]]
        var milliseconds: Int
    }
    private struct Place: Hashable {
        var number: Int
        var row: [ScreenCell]
    }
    private var frames: [Frame] = []

    /// A film without a screen.
    package init() {}

    /// Adds a screen that stays for so long, with a line of text below it.
    package mutating func add(_ picture: ScreenPicture, caption: String, milliseconds: Int) {
        var style = ScreenStyle()
        style.bold = true
        let empty = Array(repeating: ScreenCell(), count: picture.columns)
        var line = empty
        for (place, character) in caption.prefix(picture.columns - 1).enumerated() {
            line[place + 1] = ScreenCell(text: String(character), style: style)
        }
        frames.append(Frame(rows: picture.rows + [empty, line], milliseconds: milliseconds))
    }

    /// The image. All frames must have one size.
    package func svg(theme: PictureTheme = .dark, fontSize: Double = 16) -> String {
        guard let first = frames.first else { return "" }
        var seen: [Place: [Int]] = [:]
        for (index, frame) in frames.enumerated() {
            for (number, row) in frame.rows.enumerated() {
                seen[Place(number: number, row: row), default: []].append(index)
            }
        }
        var groups: [[Int]: [Place]] = [:]
        for (place, times) in seen { groups[times, default: []].append(place) }
        var drawing = ScreenDrawing(theme: theme, fontSize: fontSize)
        var (sheet, body): ([String], [String]) = ([], [])
        let ordered = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (number, group) in ordered.enumerated() {
            for place in group.value.sorted(by: { $0.number < $1.number }) {
                drawing.draw(place.row, number: place.number)
            }
            let elements = drawing.drainElements()
            guard !elements.isEmpty else { continue }
            let isAlways = group.key.count == frames.count
            if !isAlways { sheet += style(of: "f\(number)", group.key) }
            body += [isAlways ? "<g>" : #"<g class="f\#(number)">"#, elements, "</g>"]
        }
        let style = "<style>\n\(sheet.joined(separator: "\n"))\n</style>"
        let head = drawing.head(
            columns: first.rows[0].count, rows: first.rows.count, style: style)
        return ([head] + body + ["</g>", "</svg>", ""]).joined(separator: "\n")
    }

    /// Shows a group in some frames and hides it in the others.
    private func style(of name: String, _ shown: [Int]) -> [String] {
        let whole = frames.map(\.milliseconds).reduce(0, +)
        var moment = 0
        var steps: [String] = []
        var former: Bool?
        for (index, frame) in frames.enumerated() {
            let isShown = shown.contains(index)
            if isShown != former {
                let part = SVG.number(Double(moment) * 100 / Double(whole))
                steps.append("\(part)%{visibility:\(isShown ? "visible" : "hidden")}")
                former = isShown
            }
            moment += frame.milliseconds
        }
        let seconds = SVG.number(Double(whole) / 1000)
        return [
            ".\(name){visibility:hidden;animation:\(name) \(seconds)s step-end infinite}",
            "@keyframes \(name){\(steps.joined())}",
        ]
    }
}
