import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// A payload in a real editor on a real terminal, next to a worker (B11).
    @Suite("edits", .serialized)
    struct EditTests {
        /// An editor that reports its file and waits for an instruction.
        private static let editor = """
            #!/bin/sh
            echo "$1" > opened.part && mv opened.part opened
            echo "the editor has it"
            read -r order
            case $order in
            change) sed -i 's/"ann"/"kim"/' "$1" ;;
            break) echo '{"to":' > "$1" ;;
            esac
            """

        /// A queue of two tasks, paused; a worker, and a console that edits the first.
        private static func scene() throws -> (Workplace, LiveConsole, [Int64]) {
            let place = try Workplace.withStore()
            try place.write(Self.editor, to: "editor.sh", isProgram: true)
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            try place.json(["queue", "set", "mail", "--keep-finished", "100"])
            try place.json(["pause", "mail"])
            let ids = try place.enqueue("mail", payloads: [#"{"to":"ann"}"#, "{}"])
            let console = try LiveConsole(
                at: place,
                environment: ["EDITOR=\(place.file("editor.sh"))", "VISUAL="])
            try console.terminal.wait(forText: "mail", timeoutSeconds: 30)
            try console.terminal.settle(quietMilliseconds: 100)
            try console.terminal.send("ge")
            try console.terminal.wait(forText: "the editor has it")
            try place.wait(for: "the editor") { !place.text("opened").isEmpty }
            return (place, console, ids)
        }

        private static func display(_ place: Workplace, _ id: Int64) throws -> String {
            try place.json(["show", "\(id)"])["display"]?.string ?? ""
        }

        @Test("B11 what is edited waits, is committed after its difference was seen, then runs")
        func commits() async throws {
            try await Workplace.onOwnThread {
                let (place, console, ids) = try Self.scene()
                #expect(try Self.display(place, ids[0]) == "parked")
                let why = try place.json(["why", "\(ids[0])"])["blockers"]?.array ?? []
                let edit = why.first { $0["cause"] == "editing" }
                #expect(edit?["text"] == "tester is editing it")
                let worker = try place.startWorker(["--quiet"])
                try place.json(["resume", "mail"])
                try place.wait(for: "the other task") { try place.count("mail", "succeeded") == 1 }
                try console.terminal.send("change\n")
                try console.terminal.wait(forText: #""to": "kim""#)
                #expect(try console.shows(#""to": "ann""#))
                #expect(try Self.display(place, ids[0]) == "parked")
                try console.terminal.send("y")
                try place.wait(for: "its execution") { try place.count("mail", "succeeded") == 2 }
                let shown = try place.json(["show", "\(ids[0])"])
                #expect(shown["payload"]?["to"] == "kim")
                // The file and its folder no longer exist.
                let path = place.text("opened").split(separator: "\n").first.map(String.init) ?? ""
                #expect(!Files.exists(path) && !Files.exists(Files.parent(of: path)))
                try console.quit()
                try worker.signal(.terminate)
                try place.expecting(0, worker.answer())
            }
        }

        @Test("B11 A2 kill -9 of the console that edits frees the task at once")
        func killed() async throws {
            try await Workplace.onOwnThread {
                let (place, console, ids) = try Self.scene()
                let worker = try place.startWorker(["--quiet"])
                try place.json(["resume", "mail"])
                try place.wait(for: "the other task") { try place.count("mail", "succeeded") == 1 }
                #expect(try Self.display(place, ids[0]) == "parked")
                // The kill ends only the console, and the editor continues.
                place.kill([console.terminal.processID])
                try place.wait(for: "its execution", seconds: 20) {
                    try place.count("mail", "succeeded") == 2
                }
                try worker.signal(.terminate)
                try place.expecting(0, worker.answer())
            }
        }

        @Test("B11 D8 who takes the task away wins; what was written is kept in a file")
        func takenAway() async throws {
            try await Workplace.onOwnThread {
                let (place, console, ids) = try Self.scene()
                try place.json(["retry", "\(ids[0])"])
                #expect(try Self.display(place, ids[0]) == "next")
                try console.terminal.send("change\n")
                try console.terminal.wait(forText: #""to": "kim""#)
                try console.terminal.send("y")
                try console.terminal.wait(forText: "sluice-edit-")
                let text = try console.terminal.screen.text
                let shown = try place.json(["show", "\(ids[0])"])
                #expect(shown["payload"]?["to"] == "ann")
                let kept = text.split { $0 == " " || $0.isNewline }.map(String.init)
                    .first { $0.hasPrefix("/") && $0.contains("sluice-edit-") }
                let path = try #require(kept, "\(text)")
                let bytes = try Files.read(path, limitBytes: 1000)
                #expect(String(decoding: bytes, as: UTF8.self).contains("kim"))
                try Files.removeTree(Files.parent(of: path))
                try console.quit()
            }
        }

        @Test("what is saved is checked: broken JSON changes nothing, frees the task, is kept")
        func broken() async throws {
            try await Workplace.onOwnThread {
                let (place, console, ids) = try Self.scene()
                try console.terminal.send("break\n")
                try console.terminal.wait(forText: "not JSON")
                try place.wait(for: "the end of the edit") {
                    try Self.display(place, ids[0]) == "next"
                }
                let shown = try place.json(["show", "\(ids[0])"])
                #expect(shown["payload"]?["to"] == "ann")
                let path = place.text("opened").split(separator: "\n").first.map(String.init) ?? ""
                #expect(Files.exists(path))
                try Files.removeTree(Files.parent(of: path))
                try console.quit()
            }
        }
    }
}
