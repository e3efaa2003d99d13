import SluiceModel

/// The tables with the state of unfinished jobs: each job has a row in one of them.
enum SolidQueuePlace: String, CaseIterable {
    case ready, scheduled, claimed, blocked, failed

    var table: String { "solid_queue_\(rawValue)_executions" }

    /// Whether workers or the dispatcher of Solid Queue bring its jobs.
    var isWaiting: Bool { [.ready, .scheduled, .blocked].contains(self) }
}

extension RowTable {
    /// Solid Queue for Rails: a row in another table determines whether a job waits, runs or has
    /// failed.
    static let solidQueue = RowTable(
        name: "solidqueue", title: "Solid Queue", table: "solid_queue_jobs",
        needs: [
            "id", "queue_name", "class_name", "arguments", "priority", "active_job_id",
            "scheduled_at", "finished_at", "concurrency_key", "created_at",
        ],
        companions: Set(
            SolidQueuePlace.allCases.map(\.table) + ["solid_queue_pauses", "solid_queue_processes"]
        ), queue: "queue_name", time: "scheduled_at", clock: .date,
        hold: .elsewhere(
            held: """
                EXISTS (SELECT 1 FROM solid_queue_ready_executions e JOIN solid_queue_pauses p
                ON p.queue_name = e.queue_name WHERE e.job_id = @id)
                """,
            skipped: """
                EXISTS (SELECT 1 FROM solid_queue_ready_executions e WHERE e.job_id = @id
                AND e.queue_name LIKE '%\(SolidQueueSystem.skipMark)')
                """),
        ready: lies(in: .ready),
        states: [
            (.running, lies(in: .claimed)),
            (.retrying, "\(lies(in: .scheduled)) AND \(wasTried)"),
            (.delayed, lies(in: .scheduled)), (.failed, lies(in: .failed)),
            (.blocked, lies(in: .blocked)), (.succeeded, "@finished_at IS NOT NULL"),
        ],
        priority: "sluice_priority", created: "created_at", ended: "finished_at",
        order: [(ownPriority, false), ("@id", false)], large: ["arguments"],
        more: [
            "sluice_priority": ownPriority,
            "sluice_began": """
            (SELECT e.created_at FROM solid_queue_claimed_executions e WHERE e.job_id = @id)
            """,
            "sluice_error": """
            (SELECT e.error FROM solid_queue_failed_executions e WHERE e.job_id = @id)
            """,
        ], read: read, counting: SolidQueueCounts.counted, opening: { SolidQueueSystem($0) })

    /// Unfinished jobs with a row in a table.
    static func lies(in place: SolidQueuePlace) -> String {
        "@finished_at IS NULL AND EXISTS (SELECT 1 FROM \(place.table) e WHERE e.job_id = @id)"
    }

    /// Whether Active Job has executed a job before.
    static let wasTried = """
        @arguments LIKE '%"executions":%' AND @arguments NOT LIKE '%"executions":0%'
        """

    /// Workers use the priority in the row of ready jobs.
    private static let ownPriority = """
        coalesce((SELECT e.priority FROM solid_queue_ready_executions e WHERE e.job_id = @id),
        @priority)
        """

    private static let read: @Sendable (JSONValue) -> RowContent = { row in
        let text = row["arguments"]?.string ?? ""
        let value = try? JSONValue.parse(text)
        var content = RowContent(
            type: row["class_name"]?.string ?? "?",
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: "json", value: value,
                whyFixed: value == nil ? "it is no JSON" : nil))
        content.attempts = value?["executions"]?.integer.map { Int(clamping: $0) } ?? 0
        content.label = value?["arguments"].map { String($0.text.prefix(200)) }
        content.fullError = row["sluice_error"]?.string
        content.error = content.fullError.map(error)
        return content
    }

    /// The class and the words of an exception, out of its JSON.
    private static func error(_ text: String) -> String {
        let told = try? JSONValue.parse(text)
        let words = ["exception_class", "message"].compactMap { told?[$0]?.string }
        return words.isEmpty ? text : words.joined(separator: ": ")
    }
}
