import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Persistent programs, with kills of their copies or runners during work.
@Suite("crash: programs that stay", .serialized)
struct ProcessKillTests {
    /// Reports its process, waits a moment, and logs its work.
    static let worker = #"""
        #!/bin/sh
        echo $$ >> "$SLUICE_TEST_FOLDER/copies"
        while IFS= read -r task; do
            id=${task#'{"id":'}; id=${id%%,*}
            mkdir "$SLUICE_TEST_FOLDER/held/$id" || echo $id >> "$SLUICE_TEST_FOLDER/overlaps"
            echo $id $$ >> "$SLUICE_TEST_FOLDER/begun"
            sleep 0.01
            echo $id >> "$SLUICE_TEST_FOLDER/done"
            rmdir "$SLUICE_TEST_FOLDER/held/$id"
            echo "{\"id\":$id,\"outcome\":\"success\"}"
        done
        """#

    static func place() throws -> Workplace {
        let place = try Workplace.withStore()
        try place.write(worker, to: "worker", isProgram: true)
        try place.makeFolder("held")
        try place.write(
            #"{"handlers":{"*":{"process":["./worker"],"copies":3}}}"#, to: "handlers.json")
        try place.json([
            "queue", "set", "mail", "--concurrency", "3", "--attempts", "none", "--retry",
            "fixed(0s)",
        ])
        return place
    }

    @Test("P2 A3 of copies that are killed 100 times no task is lost, each kill costs one attempt")
    func copies() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.place()
            let ids = try place.enqueue("mail", count: 600)
            let worker = try place.startWorker(["--slots", "3", "--quiet"])
            let kills = 100
            var killed: Set<Substring> = []
            while killed.count < kills {
                let begun = place.text("begun").split(separator: "\n").last?.split(separator: " ")
                guard let copy = begun?.last, let number = Int32(copy), !killed.contains(copy),
                    let start = ProcessIdentity.startTime(of: number),
                    try ChildProcess.signalGroup(
                        processID: number, startTime: start, signal: .kill)
                else {
                    _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
                    guard try place.count("mail", "waiting") > 0 else { break }
                    continue
                }
                killed.insert(copy)
                // Remove the killed copy's lock for the next attempt.
                if let id = begun?.first { try? Files.removeTree(place.file("held/\(id)")) }
            }
            try place.wait(for: "the end of all", seconds: 300) {
                try place.isWorkedOff("mail")
            }
            try worker.signal(.terminate)
            try worker.answer()
            let begun = place.text("begun").split(separator: "\n").count
            let done = Set(place.text("done").split(separator: "\n").compactMap { Int64($0) })
            print("copies: \(killed.count) killed, \(begun) begun for \(ids.count) tasks")
            #expect(killed.count == kills)
            #expect(done == Set(ids))
            #expect(begun <= ids.count + kills)
            #expect(try place.count("mail", "failed") == 0)
            // Every copy ends with its runner.
            for copy in place.text("copies").split(separator: "\n").compactMap({ Int32($0) }) {
                try place.wait(for: "the end of copy \(copy)", isPolled: true) {
                    !ProcessIdentity.goesOn(copy, startTime: nil)
                }
            }
        }
    }

    @Test("P2 A2 a copy that outlives its killed worker holds its task back, and nothing overlaps")
    func runners() async throws {
        try await Workplace.onOwnThread {
            let place = try Self.place()
            let ids = try place.enqueue("mail", count: 200)
            for round in 1...12 {
                let worker = try place.startWorker(["--slots", "3", "--quiet"])
                try place.wait(for: "work in round \(round)", isPolled: true) {
                    let done = place.text("done").split(separator: "\n").count
                    return done >= round * 10 || done >= ids.count
                }
                try worker.signal(.kill)
                try worker.answer()
            }
            let worker = try place.startWorker(["--slots", "3", "--until-empty", "--quiet"])
            try place.expecting(0, worker.answer())
            let done = Set(place.text("done").split(separator: "\n").compactMap { Int64($0) })
            #expect(done == Set(ids))
            #expect(place.text("overlaps") == "")
            #expect(try place.count("mail", "failed") == 0)
        }
    }
}
