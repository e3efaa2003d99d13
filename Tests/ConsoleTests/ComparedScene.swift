import SluiceControl
import SluiceModel
import SluiceStore

/// A task with three attempts of different outcomes, and an edited payload.
enum ComparedScene {
    static let payload = #"{"user":"dana","retries":3,"to":{"host":"eu1.example","port":443}}"#

    static func store() throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        @Sendable func moment(_ seconds: Int64) -> Timestamp {
            LivingScene.now + (-600 + seconds) * 1000
        }
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: moment(0)))
            _ = try store.reserveTaskIDs(7)
            var task = LivingScene.retrying(7, "mail", "deliver", 3, age: 590, in: 80, of: 90)
            task.attempts = 3
            try store.insert([NewTask(task: task, payload: Array(payload.utf8))])
        }
        func run(
            _ number: Int, _ start: Int64, _ milliseconds: Int64, _ runner: ProcessID,
            _ outcome: AttemptRecord.Outcome, _ error: String?, _ log: [String]
        ) throws {
            try store.writeBlocking { store in
                let task = try store.requireTask(7)
                var record = AttemptRecord(
                    task: task, number: number, runner: runner, startedAt: moment(start))
                record.endedAt = moment(start) + milliseconds
                record.outcome = outcome
                record.isCounted = outcome != .lost
                record.error = error
                record.consequence = "retry in 30s"
                record.log = log
                try store.put([record])
            }
        }
        func edit(_ person: String, _ seconds: Int64, _ from: String, _ to: String) throws {
            let payload = try store.readBlocking { try $0.payload(of: 7) } ?? []
            let text = String(decoding: payload, as: UTF8.self).replacing(from, with: to)
            let control = Control(
                store: store, person: person, now: { moment(seconds) }, chance: { 0.5 })
            try control.performBlocking(
                .edit([TaskTarget(7)], payload: Array(text.utf8), fields: []))
        }
        try run(
            1, 10, 30_004, 1, .timedOut, "timed out after 30s",
            ["resolving eu1.example", "connecting", "waiting for the greeting"])
        try run(
            2, 80, 402, 1, .retry, "HTTP 500 Internal Server Error: upstream connect error",
            ["resolving eu1.example", "connecting", "sent 412 bytes", "HTTP 500"])
        try edit("kim", 120, "eu1.example", "eu2.example")
        try run(
            3, 150, 388, 2, .retry, "HTTP 404 Not Found",
            ["resolving eu2.example", "connecting", "sent 412 bytes", "HTTP 404"])
        try edit("dana", 200, #""retries":3,"#, "")
        return store
    }
}
