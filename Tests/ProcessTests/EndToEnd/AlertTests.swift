import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// `watch --on` with a command.
@Suite("end to end: alerts")
struct AlertTests {
    @Test("a condition that begins is printed once, and its JSON reaches the command")
    func begins() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let watch = try place.start([
                "watch", "--on", "no-worker,stuck", "--json", "--run",
                "cat >>alerts; echo said; touch ran; exit 3",
            ])
            _ = try place.enqueue("mail", payloads: ["1"])
            _ = try place.enqueue("a'b; touch bad", payloads: ["1"])
            try place.wait(for: "two alerts") {
                place.text("alerts").split(separator: "\n").count == 2
            }
            try place.wait(for: "their lines") {
                watch.output.split(separator: "\n").count == 2
            }
            let lines = place.text("alerts").split(separator: "\n").map(String.init).sorted()
            #expect(lines == watch.output.split(separator: "\n").map(String.init).sorted())
            let mail = try #require(lines.first { $0.contains("\"mail\"") })
            let alert = try JSONValue.parse(Array(mail.utf8))
            #expect(alert["alert"] == "no-worker" && alert["queue"] == "mail")
            #expect(alert["state"] == "began" && alert["at"] != .null)
            #expect(alert["text"]?.string?.hasPrefix("mail waits: no worker") == true)
            #expect(!Files.exists(place.file("bad")))
            try place.wait(for: "the exit codes") {
                watch.errors.contains("the alert command ended with exit code 3")
            }
            #expect(watch.errors.contains("said"))
            _ = try place.enqueue("mail", payloads: ["2"])
            try watch.signal(.terminate)
            _ = try watch.answer()
            #expect(watch.output.split(separator: "\n").count == 2)
        }
    }

    @Test(
        "a command that hangs holds no line of the watch back, and ends with the watch",
        arguments: [Signal.terminate, .interrupt, .hangUp])
    func hangs(_ signal: Signal) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let watch = try place.start([
                "watch", "--on", "no-worker", "--run", "echo $$ >>begun; exec sleep 600",
            ])
            _ = try place.enqueue("mail", payloads: ["1"])
            try place.wait(for: "the command") { !place.text("begun").isEmpty }
            _ = try place.enqueue("other", payloads: ["1"])
            try place.wait(for: "the next line") { watch.output.contains("other waits") }
            let number = try #require(Int32(place.text("begun").filter(\.isNumber)))
            try watch.signal(signal)
            #expect(try watch.answer().exit == .signal(signal))
            try place.wait(for: "the end of the command") {
                ProcessIdentity.startTime(of: number) == nil
            }
        }
    }

    @Test(
        "what is wrong in its options is said",
        arguments: [
            (["--run", "true"], "--run needs --on"), (["--on", "stuck,late"], "no-worker"),
            (["--on", "stuck", "--run", " "], "a shell command"), (["--on", ""], "stuck, failing"),
        ])
    func wrong(words: [String], said: String) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let answer = try place.expecting(2, place.sluice(["watch"] + words))
            #expect(answer.errors.contains(said), "\(answer.errors)")
        }
    }
}
