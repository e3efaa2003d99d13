import SluiceModel
import SluiceSystem

/// A task that has failed. huey keeps its exception as the result of its id until the app reads it,
/// without the name and the arguments of the task.
enum HueyFailure {
    /// The maximum number of results to read in each queue.
    static let limit = 2_000

    /// The failed task of a result; nil for other results, and for a task that will be retried.
    static func detail(_ id: String, _ bytes: [UInt8], in queue: String) -> ForeignDetail? {
        guard let told = HueyMessage.error(bytes), told["retries"]?.integer ?? 0 <= 0 else {
            return nil
        }
        var task = ForeignTask(reference: id, queue: queue, type: "?", display: .failed)
        task.error = told["error"]?.string
        var detail = ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: [], format: "none", value: nil,
                whyFixed: "it has ended; its exception alone is kept"))
        var attempt = ForeignAttempt(number: 1)
        attempt.outcome = "giveUp"
        attempt.error = told["traceback"]?.string ?? task.error
        detail.attempts = [attempt]
        return detail
    }

    /// The failed tasks among results by their ids.
    static func tasks(
        _ results: [(id: String, bytes: [UInt8])], in queue: String
    ) -> [ForeignTask] {
        results.compactMap { detail($0.id, $0.bytes, in: queue)?.task }
            .sorted { $0.reference.precedes($1.reference) }
    }
}

extension HueySystem {
    private static let expiring = KeySurvey.Shape("huey.r.")

    /// The failed tasks of a queue, and whether they are all.
    func failed(_ queue: String) throws -> (tasks: [ForeignTask], isAll: Bool) {
        let answer = try redis.look(
            "HSCAN", "huey.results.\(queue)", 0, "COUNT", HueyFailure.limit
        ).array
        var results = (answer.last?.pairs ?? []).compactMap { id, value in
            value.bytes.map { (id: String(decoding: id, as: UTF8.self), bytes: $0) }
        }
        let prefix = "huey.r.\(queue)."
        let names = try redis.names([Self.expiring]) { $0 }.filter { $0.hasPrefix(prefix) }
        let read = names.prefix(HueyFailure.limit)
        for (name, value) in zip(read, try redis.lookAll(read.map { RedisCommand("GET", $0) })) {
            guard let bytes = value.bytes else { continue }
            results.append((String(name.dropFirst(prefix.count)), bytes))
        }
        let isAll = answer.first?.text ?? "0" == "0" && names.count == read.count
        return (HueyFailure.tasks(results, in: queue), isAll)
    }

    /// The failed task of an id.
    func failure(_ reference: String, in queue: String) throws -> ForeignDetail? {
        let answers = try redis.lookAll([
            RedisCommand("HGET", "huey.results.\(queue)", reference),
            RedisCommand("GET", "huey.r.\(queue).\(reference)"),
        ])
        return answers.compactMap(\.bytes).lazy
            .compactMap { HueyFailure.detail(reference, $0, in: queue) }.first
    }
}

extension HueyFile {
    /// The failed tasks of a queue, and whether they are all.
    func failed(_ queue: String) throws -> (tasks: [ForeignTask], isAll: Bool) {
        let rows = try file.rows(
            "SELECT key, value FROM kv WHERE queue = ? LIMIT ?",
            [.text(queue), .integer(Int64(HueyFailure.limit) + 1)])
        let results = rows.compactMap { row in
            row[0].text.flatMap { id in row[1].bytes.map { (id: id, bytes: $0) } }
        }
        return (HueyFailure.tasks(results, in: queue), rows.count <= HueyFailure.limit)
    }

    /// The failed task of an id.
    func failure(_ reference: String, in queue: String) throws -> ForeignDetail? {
        try file.rows(
            "SELECT value FROM kv WHERE queue = ? AND key = ?", [.text(queue), .text(reference)]
        ).first?[0].bytes.flatMap { HueyFailure.detail(reference, $0, in: queue) }
    }
}
