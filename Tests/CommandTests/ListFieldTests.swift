import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Fields and columns of a list")
struct ListFieldTests {
    private func bench() -> Bench {
        let bench = Bench()
        for words in [
            ["enqueue", "q", "send", #"{"order":17,"to":{"name":"kim"},"a.b":[1,"x"]}"#],
            ["enqueue", "q", "send", "no JSON"], ["enqueue", "q", "send"],
        ] {
            #expect(bench.run(words).exit == .done)
        }
        return bench
    }

    @Test("--fields gives exactly these fields, in their order")
    func fields() {
        let bench = bench()
        let answer = bench.run([
            "list", "--json", "--fields", #"type,id,payload.order,payload."a.b"[1],payload.none"#,
        ])
        #expect(answer.exit == .done)
        let tasks = answer.json["tasks"]
        #expect(
            tasks?[0]?.text
                == #"{"type":"send","id":1,"payload.order":17,"payload.\"a.b\"[1]":"x","#
                + #""payload.none":null}"#)
        #expect(tasks?[1]?["payload.order"] == .null && tasks?[2]?["payload.order"] == .null)
        let whole = bench("list --json --fields payload").json["tasks"]
        #expect(whole?[0]?["payload"]?["to"]?["name"] == "kim")
        #expect(whole?[1]?["payloadBase64"]?.string == Base64.encode(Array("no JSON".utf8)))
    }

    @Test("every field that is allowed has a key, and finishedAt and took say how a task ended")
    func all() throws {
        let bench = bench()
        let handlers = try Files.makeTemporaryDirectory(prefix: "fields-") + "/h.json"
        defer { try? Files.removeTree(Files.parent(of: handlers)) }
        try Files.writeAtomically(
            Array(#"{"handlers":{"*":{"simulate":{"outcome":"giveUp","error":"no"}}}}"#.utf8),
            to: handlers)
        #expect(bench("step q --handlers \(handlers)").exit == .done)
        let names = ListField.usual + ListField.more
        let all = bench("list --json --filter id:1 --fields \(names.joined(separator: ","))")
        let task = try #require(all.json["tasks"]?[0]?.object)
        #expect(task.keys == names)
        #expect(task["state"] == "failed" && task["finishedAt"]?.string != nil)
        #expect(task["took"]?.integer != nil && task["error"] == "no")
        // A name that JSON of a list or of `show` has is a field.
        let shown = try #require(bench("show 1 --json").json.object)
        let apart = ["payload", "attemptLog", "losses", "result", "followUps", "twins"]
        #expect(Set(shown.keys).subtracting(names).isSubset(of: apart))
        #expect(bench("list --json").json["tasks"]?[0]?["finishedAt"] == nil)
    }

    @Test("--columns makes a table of these columns")
    func columns() {
        let bench = bench()
        let answer = bench("list q --columns id,payload.order,payload.to,error")
        #expect(
            answer.output == """
                id  payload.order  payload.to      error
                1   17             {"name":"kim"}
                2
                3

                """)
    }

    @Test("what is no field is refused with those that are")
    func refused() {
        let bench = bench()
        for (line, words) in [
            ("list --json --fields id,colour", #"there is no field \"colour\""#),
            ("list --json --fields id,id", "named twice"),
            ("list --json --fields payload.", #"there is no field \"payload.\""#),
            ("list --columns payload.a[", "there is no field"),
            ("list --fields id", "is for --json; use --columns"),
            ("list --json --columns id", "is for people; use --fields"),
        ] {
            let answer = bench(line)
            #expect(answer.exit == .usage && answer.errors.contains(words), "\(line): \(answer)")
        }
    }
}
