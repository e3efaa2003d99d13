import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// The command line of the editor as the shell reads it, and its end with the console.
    @Suite("editors", .serialized)
    struct EditorTests {
        private static func open(_ editor: String) throws -> (Workplace, LiveConsole) {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", payloads: [#"{"to":"ann"}"#])
            try place.json(["pause", "mail"])
            try Files.makeDirectory(place.file("tmp"))
            let console = try LiveConsole(
                at: place,
                environment: ["EDITOR=\(editor)", "VISUAL=", "TMPDIR=\(place.file("tmp"))"])
            try console.terminal.wait(forText: "mail", timeoutSeconds: 30)
            try console.terminal.settle(quietMilliseconds: 100)
            try console.terminal.send("ge")
            return (place, console)
        }

        @Test("B11 quotes in the setting are the shell's")
        func quotes() async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open(#"sed -i -e 's/"ann"/"two words"/'"#)
                try console.terminal.wait(forText: #""to": "two words""#)
                #expect(try Files.list(place.file("tmp")) == [])
                try console.quit()
            }
        }

        static let failures: [(editor: String, text: String)] = [
            ("sh -c 'exit 3'", "ended with exit code 3"),
            ("no-such-editor --wait", "no-such-editor --wait was not found"),
        ]

        @Test("B11 an editor that fails is named with its exit code", arguments: failures)
        func fails(editor: String, text: String) async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open(editor)
                try console.terminal.wait(forText: text)
                #expect(try Files.list(place.file("tmp")) == [])
                try console.quit()
            }
        }

        @Test(
            "K8 a signal ends the console with its editor and leaves no file",
            arguments: ["TERM", "HUP"])
        func ends(by signal: String) async throws {
            try await Workplace.onOwnThread {
                let (place, console) = try Self.open("sh -c 'echo $$ >opened; exec sleep 600'")
                try place.wait(for: "the editor") { !place.text("opened").isEmpty }
                let editor = place.text("opened").filter(\.isNumber)
                // The console alone gets the signal.
                let words = ["-\(signal)", "\(console.terminal.processID)"]
                try place.expecting(0, place.start("kill", words).answer())
                _ = try console.terminal.waitForExit(timeoutSeconds: 30)
                // No file of the folder changes with it.
                try place.wait(for: "the editor's end", isPolled: true) {
                    !Files.exists("/proc/\(editor)")
                }
                #expect(try Files.list(place.file("tmp")) == [])
            }
        }
    }
}
