import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Untrusted text in a store never controls the terminal (K11).
    @Suite("hostile", .serialized)
    struct HostileTests {
        @Test("K11 no escape sequence of a payload, name, error or reason reaches the terminal")
        func escapes() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try Self.furnish(place)
                let words = ["--by", Poison.name]
                let console = try LiveConsole.open(at: place, words, showing: "evil")
                let terminal = console.terminal
                var watch = ByteWatch()
                // The screen shows it as plain text.
                var evils = 0
                try watch.look(at: terminal)
                for (number, keys) in Self.walks.enumerated() where Soak.isOn || number % 2 == 0 {
                    for key in keys {
                        try terminal.send(String(key))
                        try terminal.settle(quietMilliseconds: 15)
                        try watch.look(at: terminal)
                        if try console.shows("EVIL") { evils += 1 }
                    }
                    try terminal.send("\u{1b}")
                    try terminal.settle(quietMilliseconds: 30)
                    try terminal.send("\u{1b}g1")
                    try terminal.settle(quietMilliseconds: 30)
                }
                // On a busy machine keys may arrive before their data, the last verb's answer after
                // the copy's message, and a page may still be open.
                for _ in 0..<50 where try !console.shows(" row ") {
                    try terminal.send("\u{1b}")
                    try terminal.settle(quietMilliseconds: 100)
                }
                try terminal.send("y")
                try terminal.wait("a copy for the clipboard", timeoutSeconds: 60) { _ in
                    terminal.received.tail.contains("\u{1b}]52;".utf8)
                }
                try console.quit()
                try watch.look(at: terminal)
                print(
                    "hostile: \(watch.seen) bytes, \(evils) evil screens, \(watch.kinds.sorted())")
                #expect(evils > 20)
                #expect(watch.kinds.contains("OSC 52"))
                #expect(watch.foreign == [])
                #expect(terminal.bellCount == 0)
            }
        }

        /// Every view and page, prompts, and verbs with visible answers.
        private static let walks = [
            "1jwq", "1j\rbbj", "1jj\r", "1G\rjjjjjj", "1G\ry", "1y", "1Gw", "2jjl\r", "3j\r",
            "4jk\r", "5jj", "6jj", "7jj", "a", "p", "r", "P", "i", ":", "/", "?", "1d", "1xx",
            "1D", "z", "FF", "TTT", ":pause x", ":show 1\r", ":log\r", "1t", "1m", "1s", "1S",
            "1R", "1+-",
        ]

        private static func furnish(_ place: Workplace) throws {
            let neighbour = try Neighbour(at: place)
            let name = Poison.name
            try neighbour.perform(.setQueue(name, [.keepFinished(.last(50))]), by: Poison.text)
            try neighbour.enqueue(name, (0..<6).map { Poison.request($0) }, by: Poison.text)
            try place.write(
                """
                #!/bin/sh
                printf '\\033]0;pwn\\007\\033[31mEVIL\\302\\2331m\\n' >&2
                printf '{"log":"\\\\u001b]0;pwn\\\\u0007"}\\n' >&"$SLUICE_REPORT_FD"
                printf '{"fraction":0.5,"text":"\\\\u001b[31mEVIL"}\\n' >&"$SLUICE_REPORT_FD"
                exit 1
                """, to: "fail", isProgram: true)
            try place.write(#"{"handlers":{"*":{"command":["./fail"]}}}"#, to: "handlers.json")
            try place.json(["queue", "set", name, "--attempts", "2", "--retry", "fixed(0s)"])
            let words = ["work", "--until-empty", "--handlers", place.file("handlers.json")]
            try place.expecting(0, place.sluice(words))
            try neighbour.enqueue(name, (6..<12).map { Poison.request($0) }, by: Poison.text)
            try neighbour.perform(
                .pause(PauseRequest(.queue(name), reason: Poison.text)), by: Poison.text)
            try neighbour.leave()
        }
    }
}
