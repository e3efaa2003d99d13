import SluiceModel
import SluiceTestSupport
import Testing

/// Commands at a folder of Customer.io's SDK.
@Suite("end to end: folders", .serialized)
struct FolderTests {
    private static let tasks = [
        CustomerTask(1, "identify", start: "g"), CustomerTask(2, "track", members: ["g"]),
        CustomerTask(3, "track"), CustomerTask(4, "push"), CustomerTask(5, "push"),
    ]
    private static let names = tasks.map(\.name)

    @Test("P6 tasks are named by their UUID in every answer, also when they are gone")
    func names() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let folder = try place.makeCustomerFolder("site", Self.tasks)
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            let handlers = ["--handlers", place.file("handlers.json")]
            func say(_ words: [String]) throws -> String {
                let answer = try place.sluice(words + ["--store", folder])
                return answer.output + answer.errors
            }
            let first = Self.names[0]
            let skip = try say(["skip", first])
            #expect(skip.contains("\(first) skipped by tester\n"))
            #expect(skip.contains("stay held by \(first)"))
            #expect(try say(["unskip", first]).contains(first))
            #expect(
                try say(["undelete", first]).contains(
                    "it cannot be undeleted; sluice why \(first) says"))
            #expect(try say(["delete", Self.names[4]]).contains("\(Self.names[4]) "))
            #expect(try say(["purge", Self.names[4]]).contains(Self.names[4]))
            try place.expecting(0, place.sluice(["pause", "site", "--store", folder]))
            let step = try say(["step", "site"] + handlers)
            #expect(step.contains("\(first) identify  succeeded after "))
            #expect(step.contains("next: \(Self.names[1])"))
            let run = try say(["run", "site", "--until", "count 1"] + handlers)
            #expect(run.contains("\(Self.names[1])  track  succeeded after "))
            try place.expecting(0, place.sluice(["resume", "site", "--store", folder]))
            let set = ["queue", "set", "site", "--start", "continuous", "--store", folder]
            try place.expecting(0, place.sluice(set))
            let work = try say(["work", "--until-empty"] + handlers)
            #expect(work.contains("\(Self.names[2]) track  succeeded after "))
            let log = try say(["log"])
            for name in Self.names { #expect(log.contains(name)) }
            for text in [skip, step, run, work, log] { #expect(!text.contains("#"), "\(text)") }
            let gone = try say(["show", first])
            #expect(gone.contains("no task of this folder begins with \(first)"))
        }
    }

    @Test("P6 a change says on standard error that an app may run; scripts and looks hear nothing")
    func warning() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let folder = try place.makeCustomerFolder("site", Self.tasks)
            let hint = "while the app runs on this folder, open it with --read-only"
            func errors(_ words: [String]) throws -> String {
                try place.sluice(words + ["--store", folder]).errors
            }
            #expect(try errors(["list"]) == "")
            #expect(try errors(["skip", Self.names[0], "--dry-run"]) == "")
            #expect(try errors(["skip", Self.names[0]]) == "sluice: \(hint)\n")
            #expect(try errors(["pause", "site", "--json"]) == "")
            #expect(try errors(["resume", "site", "--quiet"]) == "")
            #expect(try !errors(["retry", Self.names[0], "--read-only"]).contains(hint))
            _ = try place.sluice(["init"])
            #expect(try place.sluice(["queue", "set", "mail"]).errors == "")
        }
    }
}
