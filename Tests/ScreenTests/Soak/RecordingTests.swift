import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Recordings that a console begins (G6).
    @Suite("recordings of a console", .serialized)
    struct RecordingTests {
        private static func place() throws -> Workplace {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", count: 5)
            return place
        }

        /// A console that records into `t.tape`.
        private static func recording(at place: Workplace) throws -> LiveConsole {
            let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
            try console.terminal.send(":record t.tape\n")
            try console.terminal.wait(forText: "V ends it", timeoutSeconds: 10)
            try console.terminal.wait(forText: "● recording")
            return console
        }

        private static func isFree(_ place: Workplace) throws -> Bool {
            try place.sluice(["record", place.file("next.tape"), "--for", "1ms"]).code == 0
        }

        @Test("G6 V ends what V began, and the tape has what happened meanwhile")
        func records() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try Self.recording(at: place)
                // One that others began is not begun again.
                let other = try place.sluice(["record", place.file("other.tape")])
                #expect(other.code == 1 && other.errors.contains("records this store since"))
                _ = try place.enqueue("mail", count: 2)
                try place.wait(for: "that on the tape") {
                    place.text("t.tape").contains("{\"event\":1,")
                }
                try console.terminal.send("V")
                try console.terminal.wait(forText: "t.tape: 3 events", timeoutSeconds: 10)
                try console.terminal.wait(forText: "open it with: :open ")
                #expect(place.text("t.tape").contains("{\"end\":\"it was stopped\""))
                // The headline follows with the next look at the store.
                try console.terminal.wait("no recording in the headline") {
                    $0.position(of: "● recording") == nil
                }
                #expect(try Self.isFree(place))
                try console.quit()
                // The end of the recording, shown on the screen, is not printed again.
                #expect(try !console.shows("t.tape: 3 events"))
            }
        }

        @Test("G6 a recording ends with its console, which says where the file is")
        func leaves() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try Self.recording(at: place)
                _ = try place.enqueue("mail", count: 2)
                try console.quit()
                #expect(try console.shows("t.tape: 1 event"))
                #expect(place.text("t.tape").contains("{\"end\":\"it was stopped\""))
                #expect(try Self.isFree(place))
            }
        }

        @Test("G6 kill -9 of a console ends its recording, and the store goes on")
        func killed() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try Self.recording(at: place)
                try console.terminal.kill(.kill)
                _ = try console.terminal.waitForExit()
                _ = try place.enqueue("mail", count: 2)
                #expect(try Self.isFree(place) && place.count("mail", "waiting") == 7)
            }
        }

        @Test("G6 a file that is there is not written over, and the store is not recorded")
        func refuses() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                try place.write("Dear diary\n", to: "t.tape")
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                try console.terminal.send(":record t.tape\n")
                try console.terminal.wait(forText: "t.tape is there already", timeoutSeconds: 10)
                #expect(try place.text("t.tape") == "Dear diary\n" && Self.isFree(place))
                try console.quit()
            }
        }
    }
}
