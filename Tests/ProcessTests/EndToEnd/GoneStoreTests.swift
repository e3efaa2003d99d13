import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Workers whose store disappears.
@Suite("end to end: a store that goes")
struct GoneStoreTests {
    @Test(
        "K8 A6 a worker whose store was removed, replaced or moved stops its handlers and says so",
        arguments: [
            #"rm "$1""#, #"mv "$2" "$1""#, #"mv "$1" "$1.aside""#, #"mv "$3" "$3-x""#,
        ])
    func worker(deed: String) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let other = place.file("other.db")
            try place.expecting(0, place.sluice(["init", other]))
            let words = deed.contains("$2") ? ["--json"] : []
            let worker = try place.startWorker(words.isEmpty ? [] : ["--quiet"] + words)
            _ = try place.enqueue("mail", payloads: [#"{"wait":"never"}"#])
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            let arguments = ["sh", place.store, other, Files.parent(of: place.store)]
            try place.expecting(0, place.start("sh", ["-c", deed] + arguments).answer())
            let answer = try worker.answer(withinSeconds: 20)
            #expect(answer.code == 2)
            let sentence = "was removed or replaced while it was open"
            #expect(answer.errors.components(of: sentence) == 1, "\(answer)")
            if words.isEmpty {
                #expect(answer.errors.contains("sluice: \(place.store) \(sentence)"))
            } else {
                #expect(answer.errorCode == "noStore")
            }
            #expect(place.testimony.count("end") == 0)
            #expect(place.processes() == [])
        }
    }

    @Test("P3 a store is made where one was removed whose log another program has open")
    func remade() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            // The holder keeps its writes in the write-ahead log, and the log's index locked.
            let holds = ".shell touch \(place.file("held")); exec sleep 1000"
            let holder = try place.start(
                "sqlite3", [place.store, "CREATE TABLE kept (x)", holds])
            try place.wait(for: "the log") { Files.exists(place.file("held")) }
            try Files.remove(place.store)
            try place.expecting(0, place.sluice(["enqueue", "letters", "note"]))
            try place.expecting(0, place.sluice(["enqueue", "letters", "note"]))
            #expect(holder.isRunning)
            #expect(try place.count("letters", "waiting") == 2)
            try place.expecting(0, place.sluice(["doctor"]))
        }
    }

    @Test("K8 A6 a worker whose Customer.io folder goes ends too, idle or not", arguments: [0, 1])
    func folder(tasks: Int) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try place.employWitness()
            let tasks = (0..<tasks).map { CustomerTask($0 + 1, "track") }
            let folder = try place.makeCustomerFolder("site", tasks)
            let words = ["--handlers", place.file("handlers.json"), "--store", folder]
            let set = ["queue", "set", "site", "--start", "continuous", "--store", folder]
            try place.expecting(0, place.sluice(set))
            if !tasks.isEmpty {
                let payload = ["edit", tasks[0].name, "--payload", #"{"wait":"never"}"#]
                try place.expecting(0, place.sluice(payload + ["--store", folder]))
            }
            let worker = try place.start(["work"] + words)
            try place.wait(for: "the worker") {
                worker.errors.contains("is attached")
                    && place.testimony.count("ready") == tasks.count
            }
            try Files.rename(folder, to: place.file("elsewhere"))
            let answer = try worker.answer(withinSeconds: 20)
            #expect(answer.code == 2)
            let sentence = "sluice: \(folder) was removed or replaced while it was open"
            #expect(answer.errors.components(of: sentence) == 1, "\(answer)")
            #expect(place.processes() == [])
        }
    }
}

extension String {
    /// The number of occurrences of a text.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
