import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// The file that a person shares.
    @Suite("an image of the screen", .serialized)
    struct ImageTests {
        @Test("I writes what is shown into a new file each time, and screenshot into a named one")
        func files() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                _ = try place.enqueue("mail", count: 3)
                let console = try LiveConsole.open(at: place, showing: "mail")
                for name in ["sluice-inventory.svg", "sluice-inventory-2.svg"] {
                    try console.terminal.key(.char("I"))
                    try console.terminal.wait(forText: "the screen is in ./\(name)")
                    let image = try Self.text(place.file(name))
                    #expect(image.hasPrefix("<svg ") && image.hasSuffix("</svg>\n"))
                    #expect(image.contains(">mail<") || image.contains(">mail "), "\(image)")
                    #expect(try Files.status(place.file(name))?.mode == 0o600)
                }
                let named = place.file("mine.svg")
                try console.terminal.send(":screenshot \(named)\r")
                try console.terminal.wait(forText: "the screen is in \(named.prefix(20))")
                #expect(try !Self.text(named).contains(":screenshot"), "without the line")
                try console.terminal.send(":screenshot \(named)\r")
                try console.terminal.wait(forText: "exists")
                try console.quit()
            }
        }

        private static func text(_ path: String) throws -> String {
            String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        }
    }
}
