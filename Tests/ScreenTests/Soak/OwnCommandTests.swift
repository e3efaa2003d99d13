import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Commands of the keys file as the shell runs them.
    @Suite("own commands", .serialized)
    struct OwnCommandTests {
        private static func open(_ keys: String, payload: String = "1") throws -> (
            Workplace, LiveConsole
        ) {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", payloads: [payload])
            try place.json(["pause", "mail"])
            try Files.makeDirectory(place.file("config/sluice"), withParents: true)
            try place.write(keys, to: "config/sluice/keys")
            let console = try LiveConsole(at: place)
            try console.terminal.wait(forText: "row 1 of 1", timeoutSeconds: 30)
            try console.terminal.settle(quietMilliseconds: 100)
            return (place, console)
        }

        private static func press(_ key: Int, _ console: LiveConsole) throws {
            try console.terminal.key(.function(key))
            try console.terminal.wait(forText: "run this command of the keys file?")
            try console.terminal.send("y")
        }

        @Test("K11 a hostile value is one word of the command, and runs nothing")
        func hostile() async throws {
            try await Workplace.onOwnThread {
                let value = "'; touch bad; $(touch bad) `touch bad` \\\" && touch bad; '"
                let (place, console) = try Self.open(
                    "F6 = !printf '%s' ${payload.x} >one\n"
                        + "F7 = !& printf '%s' \"${payload.x}\" >two; mv two three\n",
                    payload: "{\"x\":\"\(value)\"}")
                try Self.press(6, console)
                try place.wait(for: "the first file") { !place.text("one").isEmpty }
                try console.terminal.wait("the end of the command") { picture in
                    picture.text.split(separator: "\n").contains {
                        $0.contains("$ printf") && $0.contains("ended")
                    }
                }
                try Self.press(7, console)
                try place.wait(for: "the second file") { !place.text("three").isEmpty }
                let written = value.replacing("\\\"", with: "\"")
                #expect(place.text("one") == written && place.text("three") == written)
                #expect(!Files.exists(place.file("bad")))
                try console.quit()
            }
        }

        @Test("a command that fails waits for Enter, and leaves the screen as it was")
        func fails() async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open(
                    "F6 = !printf '\\033[5;7r\\033[4h\\033[?7l\\033[31m\\033(0\\033[?6h'; nosuch\n")
                defer { withExtendedLifetime(place) {} }
                try console.terminal.settle(quietMilliseconds: 200)
                let before = try console.terminal.screen.text.split(separator: "\n").dropLast(2)
                try Self.press(6, console)
                try console.terminal.wait("the failure") { !$0.isAlternate }
                try console.terminal.key(.enter)
                try console.terminal.wait(forText: "was not found (exit code 127)")
                try console.terminal.wait(forText: "row 1 of 1")
                let after = try console.terminal.screen.text.split(separator: "\n").dropLast(2)
                #expect(Array(before.prefix(6)) == Array(after.prefix(6)))
                try console.quit()
            }
        }

        @Test("Ctrl-C ends a command that never ends, and the console stays")
        func endless() async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open("F6 = !echo $$ >begun; exec sleep 600\n")
                try Self.press(6, console)
                try place.wait(for: "the command") { !place.text("begun").isEmpty }
                try console.terminal.wait("the command's line") {
                    !$0.isAlternate && $0.text.contains("$ echo $$ >begun")
                }
                try console.terminal.key(.control("c"))
                try console.terminal.wait(forText: "was ended by")
                try console.terminal.wait(forText: "row 1 of 1")
                try console.quit()
            }
        }

        @Test("the output of a background command does not reach the screen; its end does")
        func background() async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open(
                    "F6 = !& printf '\\033[2JWRONG'; printf '\\033[2JWRONG' >&2; exit 3\n")
                defer { withExtendedLifetime(place) {} }
                try Self.press(6, console)
                try console.terminal.wait(forText: "ended with exit code 3")
                let bytes = String(decoding: console.terminal.received.tail, as: UTF8.self)
                #expect(!bytes.contains("\u{1b}[2JWRONG"))
                #expect(try console.shows("row 1 of 1"))
                try console.quit()
            }
        }
    }
}
