import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Typing a filter")
struct FilterPromptTests {
    private func bench(_ count: Int = 30) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            try store.transact(at: LivingScene.now) { mutation in
                let requests = (1...count).map { number in
                    var request = EnqueueRequest(
                        type: number % 3 == 0 ? "digest" : "welcome",
                        payload: Array("{\"user\": {\"id\": \(number)}}".utf8))
                    request.groupMembers = number == 5 ? ["dana's own"] : []
                    return request
                }
                _ = try mutation.enqueue(requests, to: "mail")
            }
        }
        return Bench(store: store, now: LivingScene.now)
    }

    private func note(_ bench: Bench) -> String? {
        guard case .prompt(let prompt)? = bench.state.modal else { return nil }
        return prompt.note
    }

    @Test(
        "F1 what is typed behind / is a filter in every view, and never a key",
        arguments: ["2", "3", "5", "6", "7"])
    func everyView(_ view: String) throws {
        let bench = try bench()
        bench.press(view)
        bench.press("/")
        bench.type("payload.user.id=7")
        #expect(note(bench) == "1 matches")
        bench.press("Enter")
        #expect(bench.state.view == .inventory)
        #expect(bench.state.list.filter?.description == "payload.user.id=7")
        #expect(try bench.store.readBlocking { try $0.queue(named: "mail")?.pauses } == [])
    }

    @Test("F1 how many match is said while one types, and a mistake with its place")
    func live() throws {
        let bench = try bench()
        bench.press("/")
        bench.type("digest")
        #expect(note(bench) == "10 match")
        bench.type(" stat:")
        #expect(note(bench)?.contains("character 8") == true)
        #expect(note(bench)?.contains("state:") == true && bench.screen.contains("character 8"))
        for _ in 0..<6 { bench.press("Backspace") }
        #expect(note(bench) == "10 match")
        for _ in 0..<6 { bench.press("Backspace") }
        bench.type("payload.user.id=7")
        #expect(note(bench) == "1 matches")
        bench.press("Enter")
        #expect(bench.screen.contains("only payload.user.id=7"))
        #expect(bench.state.list.page.rows.map(\.task.id) == [7])
    }

    @Test("F3 a count goes on a part at a time, and ends with the line that it is about")
    func parts() throws {
        let bench = try bench(10_000)
        bench.holdsCounts = true
        bench.press("/")
        bench.type("text:7")
        let first = bench.heldCounts.removeLast()
        #expect(note(bench) == nil)
        bench.count(first)
        #expect(note(bench)?.hasSuffix("so far, 4,000 read") == true)
        bench.count(bench.heldCounts.removeLast())
        bench.count(bench.heldCounts.removeLast())
        #expect(note(bench) == "3,439 match" && bench.heldCounts.filter(\.isDone).isEmpty)
        let before = bench.heldCounts.count
        bench.type("7")
        bench.count(first)
        #expect(note(bench) == nil && bench.heldCounts.count == before + 1)
    }

    @Test(
        "F1 Tab completes fields, states, saved filters and the names that are there",
        arguments: [
            ("stat", "state:"), ("stag", "stage:"), ("state:fa", "state:failed "),
            ("state:due,par", "state:due,parked "),
            ("-type:di", "-type:digest "), ("(queue:", "(queue:mail "), ("atte", "attempts"),
            ("pay", "payload."), ("payload.us", "payload.user."),
            ("payload.user.", "payload.user.id"), ("-payload.user.i", "-payload.user.id"),
            ("@st", "@stuck"), ("group:", "group:\"dana's own\" "),
        ])
    func completion(_ typed: String, _ completed: String) throws {
        let bench = try bench()
        bench.state.settings.savedFilters = ["stuck": "state:failed"]
        bench.press("/")
        bench.type(typed)
        bench.press("Tab")
        guard case .prompt(let prompt)? = bench.state.modal else {
            Issue.record("the question is gone")
            return
        }
        let quoted = completed.replacing("\"dana's own\"", with: "dana's own")
        #expect([completed, quoted].contains(prompt.editor.text))
    }

    @Test("F1 Tab completes places of the payloads of the rows, one name at a time")
    func places() throws {
        let bench = try bench(1)
        let now = bench.now
        try bench.change { store in
            try store.transact(at: now) { mutation in
                let payloads = [
                    #"{"attachment":1,"attempt.no":2,"items":[{"name":"x"},{"size":1}]}"#,
                    #"{"attributes":{"a b":1},"tags":["x"]}"#, "no JSON {", "[{\"n\":1}]",
                    #"{"att":"# + String(repeating: "[", count: 100),
                ]
                _ = try mutation.enqueue(
                    payloads.map { EnqueueRequest(type: "t", payload: Array($0.utf8)) }, to: "mail")
            }
        }
        func completed(_ text: String) -> String? {
            bench.press("Esc /")
            bench.type(text)
            bench.press("Tab")
            guard case .prompt(let prompt)? = bench.state.modal else { return nil }
            return prompt.editor.text
        }
        #expect(completed("payload.att") == "payload.att")
        #expect(note(bench) == "payload.attachment  payload.attributes.")
        #expect(completed("payload.attr") == "payload.attributes.")
        #expect(completed("payload.attributes.") == "payload.attributes.\"a b\"")
        #expect(completed("payload.\"att") == "payload.\"attempt.no\"")
        #expect(completed("payload.items") == "payload.items[")
        #expect(note(bench) == "payload.items[0].  payload.items[1].")
        #expect(completed("payload.items[0].") == "payload.items[0].name")
        #expect(completed("payload.items[1].") == "payload.items[1].size")
        #expect(completed("payload.tags") == "payload.tags[0]")
        #expect(completed("payload[") == "payload[0].")
        #expect(completed("payload.nothing") == "payload.nothing")
        #expect(note(bench) == "nothing to complete")
    }

    /// A queue with text payloads and, at its end, a JSON payload.
    private func textBench(_ count: Int = 400) throws -> Bench {
        let bench = try bench(1)
        let now = bench.now
        try bench.change { store in
            try store.put(QueueRecord(name: "text", createdAt: now))
            try store.transact(at: now) { mutation in
                let payloads = Array(repeating: "plain {", count: count) + [#"{"seat":{"row":4}}"#]
                _ = try mutation.enqueue(
                    payloads.map { EnqueueRequest(type: "t", payload: Array($0.utf8)) }, to: "text")
            }
        }
        return bench
    }

    private func completed(_ bench: Bench, _ text: String) -> String? {
        bench.press("/")
        bench.type(text)
        bench.press("Tab")
        guard case .prompt(let prompt)? = bench.state.modal else { return nil }
        return prompt.editor.text
    }

    @Test("F1 Tab completes places also of what lies far behind the rows")
    func farPlaces() throws {
        let bench = try textBench()
        bench.press("h j l")
        #expect(bench.state.selectedQueue == "text")
        #expect(completed(bench, "payload.se") == "payload.seat.")
        bench.press("Esc h k k l")
        #expect(bench.state.isAll)
        #expect(completed(bench, "payload.se") == "payload.seat.")
    }

    @Test("F1 Tab completes places where a filter leaves no rows")
    func placesBehindFilter() throws {
        let bench = try bench()
        bench.press("/")
        bench.type("id:9999")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.isEmpty)
        #expect(completed(bench, " payload.us") == "id:9999 payload.user.")
    }

    @Test("F1 Tab completes a place as soon as the payloads are read, unless a key came since")
    func unreadPlaces() throws {
        for key in [nil, "x"] {
            let bench = try bench()
            bench.holdsLoads = true
            #expect(completed(bench, "payload.us") == "payload.us")
            #expect(note(bench) == "reads payloads")
            if let key { bench.type(key) }
            bench.releaseLoads()
            guard case .prompt(let prompt)? = bench.state.modal else {
                Issue.record("the question is gone")
                return
            }
            #expect(prompt.editor.text == (key == nil ? "payload.user." : "payload.usx"))
        }
    }

    @Test("F5 Tab lists every state that a filter takes, whole", arguments: [80, 100, 120])
    func states(_ width: Int) throws {
        let bench = try bench()
        bench.send(.resized(Size(width: width, height: 24)))
        bench.press("/")
        bench.type("state:")
        bench.press("Tab")
        let bottom = bench.lines.suffix(8).joined(separator: " ")
        for state in TaskFilter.State.allCases {
            #expect(bottom.contains(state.rawValue), "\(state): \(bench.screen)")
        }
    }

    @Test(
        "F1 a question mark in an empty line tells the language; a saved filter stands for itself")
    func help() throws {
        let bench = try bench()
        bench.state.settings.savedFilters = ["few": "id:3..4"]
        bench.press("/ ?")
        #expect(bench.screen.contains("payload.user.id=7"))
        bench.press("Esc /")
        bench.type("@few")
        bench.press("Enter")
        #expect(bench.screen.contains("only @few"))
        #expect(bench.state.list.page.rows.map(\.task.id) == [3, 4])
    }

    @Test("F1 what a word was found by is marked in the rows")
    func hits() throws {
        let bench = try bench()
        bench.press("/")
        bench.type("GEST")
        bench.press("Enter")
        let y = try #require(bench.lines.firstIndex { $0.contains("digest") })
        let line = Array(bench.lines[y])
        let x = try #require(line.indices.first { String(line[$0...]).hasPrefix("gest") })
        #expect((x..<x + 4).allSatisfy { bench.buffer[$0, y]?.role == .key })
        #expect(bench.buffer[x - 1, y]?.role != .key)
    }

    @Test("F1 what a word was found by is marked on the task's page and in its preview")
    func hitsInPage() throws {
        let bench = try bench()
        bench.send(.resized(Size(width: 180, height: 48)))
        bench.press("/")
        bench.type("GEST")
        bench.press("Enter")
        func marks() -> Int {
            bench.lines.indices.reduce(0) { count, y in
                let line = Array(bench.lines[y])
                return count
                    + line.indices.count { x in
                        String(line[x...].prefix(4)) == "gest"
                            && (x..<x + 4).allSatisfy { bench.buffer[$0, y]?.role == .key }
                    }
            }
        }
        // In its row and in the preview's title.
        #expect(marks() >= 2, "\(bench.screen)")
        bench.press("Enter")
        #expect(marks() >= 1, "\(bench.screen)")
    }

    @Test("F1 letters are marked wherever they stand, each once")
    func marking() {
        let line = StyledLine("Timeout, timeout", .failed).marking([FoldedLetters("TIME")])
        #expect(line.text == "Timeout, timeout")
        #expect(line.spans.map(\.text) == ["Time", "out, ", "time", "out"])
        #expect(line.spans.map(\.role) == [.key, .failed, .key, .failed])
        #expect(StyledLine("none").marking([FoldedLetters("x")]) == StyledLine("none"))
    }
}
