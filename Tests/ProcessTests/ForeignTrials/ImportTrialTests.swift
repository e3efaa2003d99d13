import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("a copy of other systems' queues", .serialized, .enabled(if: TrialSize.canRun))
struct ImportTrialTests {
    @Test(
        "D11 an import reads what is there, leaves it as it is, and steps with pretended handlers",
        arguments: TrialSize.isWhole ? Trial.System.all : [.rq, .celery])
    func copy(system: Trial.System) async throws {
        try await Workplace.onOwnThread { try Self.tryCopy(Trial(system)) }
    }

    private static func tryCopy(_ trial: Trial) throws {
        let first = try trial.send(1, 1)
        try trial.wait(for: "the first task runs") { trial.log == [1] }
        try first.answer()
        try trial.place.expecting(0, trial.sluice(["pause", trial.system.queue]))
        let sender = try trial.send(100, 5)
        try sender.answer()
        try trial.wait(for: "all are held") { try trial.held() == 5 }
        let place = trial.place
        let store = place.file("copy.db")
        let words = ["import", trial.store, "--as", trial.system.asked, "--store", store]
        try place.expecting(0, place.sluice(words + ["--by", "kim"]))
        // The same once more finds nothing new.
        let again = try place.expecting(0, place.sluice(words + ["--by", "kim", "--json"]))
        #expect(again.json["added"]?.integer == 0, "\(again.json)")
        #expect(trial.log == [1])
        let list = try place.expecting(
            0,
            place.sluice([
                "list", trial.system.queue, "--state", "waiting", "--store", store, "--json",
            ]))
        let tasks = try #require(list.json["tasks"]?.array)
        #expect(tasks.count == 5 && tasks.allSatisfy { $0["type"]?.string?.isEmpty == false })
        let id = try #require(tasks.first?["id"]?.integer)
        let shown = try place.expecting(
            0, place.sluice(["show", "\(id)", "--store", store, "--json"]))
        #expect(shown.json["payload"] != nil)
        let handlers = place.file("pretend.json")
        let text = #"{"handlers": {"*": {"simulate": {}}}}"#
        try Files.writeAtomically(Array(text.utf8), to: handlers)
        let step = try place.expecting(
            0,
            place.sluice([
                "step", trial.system.queue, "--store", store, "--handlers", handlers, "--json",
            ]))
        #expect(step.json["stepped"]?[0]?["outcome"]?.string == "success")
        #expect(trial.log == [1])
        try trial.place.expecting(0, trial.sluice(["resume", trial.system.queue]))
        try trial.wait(for: "all run") { trial.log.count == 6 }
        try trial.end()
    }

    @Test("an import that names no such system, or a filter, says so and makes nothing")
    func refused() async throws {
        try await Workplace.onOwnThread {
            let server = try RedisServer()
            let place = try Workplace()
            let store = place.file("copy.db")
            for (words, sentence) in [
                (["--as", "celry"], "\"celry\" is not allowed"),
                ([], "holds none of"),
                (["--as", "rq", "--filter", "type:x"], "--filter is for stores"),
            ] {
                let answer = try place.sluice(
                    ["import", server.address(), "--store", store] + words)
                #expect(answer.code == 2 || answer.code == 1)
                #expect(answer.errors.contains(sentence), "\(answer)")
                #expect(!Files.exists(store))
            }
        }
    }
}
