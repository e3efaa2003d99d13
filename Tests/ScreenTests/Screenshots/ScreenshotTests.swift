import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

/// The pictures of the README are what the program shows. `make screenshots` draws them again.
@Suite("screenshots", .serialized)
struct ScreenshotTests {
    private static let folder = Project.folder + "/screenshots"

    @Test("K5 every picture shows the cells that the program draws", arguments: Shot.all)
    func cells(shot: Shot) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let picture = try scene.picture(of: shot)
        let cells = Self.cells(of: picture)
        let path = "\(Self.folder)/\(shot.name).cells"
        if ProcessIdentity.environment("UPDATE_SCREENSHOTS") != nil {
            try Files.writeAtomically(Array(cells.utf8), to: path)
            let theme: PictureTheme = shot.theme == "light" ? .light : .dark
            let png = try Picture.png(picture.svg(theme: theme))
            try Files.writeAtomically(png, to: "\(Self.folder)/\(shot.name).png")
        }
        let kept = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        #expect(cells == kept)
        #expect(Files.exists("\(Self.folder)/\(shot.name).png"))
    }

    @Test("K5 each film shows what the program draws", arguments: ["flow", "session"])
    func film(_ name: String) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let svg = try SessionFilm.svg(scene, name)
        let path = "\(Self.folder)/\(name).svg"
        if ProcessIdentity.environment("UPDATE_SCREENSHOTS") != nil {
            try Files.writeAtomically(Array(svg.utf8), to: path)
        }
        #expect(svg == String(decoding: try Files.read(path, limitBytes: 4 << 20), as: UTF8.self))
    }

    /// The texts of the rows, then their looks: one letter for each look, with a legend.
    private static func cells(of picture: ScreenPicture) -> String {
        var letters: [ScreenStyle: Character] = [:]
        let alphabet = Array(".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let looks = picture.rows.map { row in
            String(
                row.map { cell -> Character in
                    if let known = letters[cell.style] { return known }
                    let letter = letters.count < alphabet.count ? alphabet[letters.count] : "?"
                    letters[cell.style] = letter
                    return letter
                })
        }
        let legend = letters.sorted { $0.value < $1.value }.map { "\($1) \(Self.words($0))" }
        return (picture.lineTexts + ["--- looks"] + looks + ["--- legend"] + legend)
            .joined(separator: "\n") + "\n"
    }

    private static func words(_ style: ScreenStyle) -> String {
        var words = ["\(style.foreground) on \(style.background)"]
        if style.bold { words.append("bold") }
        if style.underline { words.append("underline") }
        if style.reverse { words.append("reverse") }
        return words.joined(separator: " ")
    }
}
