package import SluiceModel
import SluiceStore

/// Executions, journal lines, processes and permits.
extension TableWriter {
    private enum SQL {
        static let undone = Query(.update("sluice_event", ["undone_by"], where: ["sequence"]))
        static let putProcess = Query(
            .insert(into: "sluice_process", ["id", "record"], replacing: ["id"]))
        static let lockedHeartbeat = Query(
            "SELECT beat FROM sluice_process WHERE id = ? FOR UPDATE")
        static let removeProcess = Query(.delete(from: "sluice_process", where: ["id"]))
        static let removePermitsOf = Query(
            "DELETE FROM sluice_permit WHERE issuer = ?1 OR runner = ?1")
        static let putPermit = Query(
            .insert(
                into: "sluice_permit", ["id", "task", "version", "queue", "issuer", "runner"],
                replacing: ["id"]))
        static let removePermit = Query(.delete(from: "sluice_permit", where: ["id"]))
        static let oldEvents = Query(
            """
            SELECT sequence, NULL, NULL, \(JournalImages.bytes) FROM sluice_event
            WHERE sequence < ? AND at < ? ORDER BY sequence LIMIT ?
            """,
            other: """
                SELECT sequence, NULL, NULL, \(JournalImages.otherBytes) FROM sluice_event
                WHERE sequence < ? AND at < ? ORDER BY sequence LIMIT ?
                """)
        static let oldAttempts = Query(
            """
            SELECT end_sequence, task, number, 0 FROM sluice_attempt
            WHERE end_sequence > 0 AND end_sequence < ? AND ended_at < ?
            ORDER BY end_sequence LIMIT ?
            """)
        static let removeEvent = Query(.delete(from: "sluice_event", where: ["sequence"]))
        static let removeAttempt = Query(
            .delete(from: "sluice_attempt", where: ["task", "number"]))
    }

    package func put(_ attempts: [AttemptRecord]) throws {
        let isRecorded = try isRecorded()
        for var attempt in attempts {
            if attempt.outcome != nil, attempt.endSequence == 0 {
                attempt.endSequence = try reserveSequence(1)
                if let queue = try entry(attempt.queue) { ended.add(attempt, queue: queue.id) }
            }
            if isRecorded { notes.record(attempt) }
            if let kept, let plain = BufferedAttempt(attempt) {
                try kept.keep(plain)
                continue
            }
            let row = try connection.prepare(AttemptRow.put)
            AttemptRow.bind(attempt, to: row)
            try row.run()
        }
    }

    package func countWait(
        _ wait: DurationBucket, in queue: String, at moment: Timestamp
    ) throws {
        if let queue = try entry(queue) { ended.add(wait, at: moment, queue: queue.id) }
    }

    @discardableResult package func append(_ events: [JournalEvent]) throws -> Int64 {
        let first = try reserveSequence(events.count)
        let isRecorded = try isRecorded()
        var imageBytes = 0
        for (offset, event) in events.enumerated() {
            if isRecorded {
                var numbered = event
                numbered.sequence = first + Int64(offset)
                notes.record(numbered)
            }
            let images = event.undo?.stored.text
            let row = try connection.prepare(EventRow.insert)
            EventRow.bind(event, sequence: first + Int64(offset), images: images, to: row)
            try row.run()
            let bytes = (images?.utf8.count ?? 0) + (event.script?.utf8.count ?? 0)
            if bytes >= JournalImages.countedBytes { imageBytes += bytes }
        }
        let images = JournalImages(connection)
        if events.allSatisfy({ ["undo", "redo"].contains($0.kind) }) {
            try images.addedByUndo(Int64(imageBytes))
        } else {
            try images.added(Int64(imageBytes), from: first)
        }
        return first
    }

    func markUndone(_ sequence: Int64, by undo: Int64) throws {
        let row = try connection.prepare(SQL.undone)
        row.bind(undo)
        row.bind(sequence)
        try row.run()
        try JournalImages(connection).used(sequence)
    }

    func put(_ process: ProcessRecord) throws {
        let row = try connection.prepare(SQL.putProcess)
        row.bind(process.id)
        row.bind(process.stored.text)
        try row.run()
        forgetProcesses()
    }

    package func lockedHeartbeat(of process: ProcessID) throws -> Int64? {
        let row = try connection.prepare(SQL.lockedHeartbeat)
        defer { row.reset() }
        row.bind(process)
        return try row.next() ? row.integer(0) : nil
    }

    func removeProcess(_ id: ProcessID) throws {
        try change(SQL.removeProcess, id)
        try change(SQL.removePermitsOf, id)
        memory.permits = nil
        try removeOffer(of: id)
        forgetProcesses()
    }

    func put(_ permit: Permit) throws {
        let row = try connection.prepare(SQL.putPermit)
        row.bind(permit.id)
        row.bind(permit.task)
        row.bind(permit.version)
        row.bind(permit.queue)
        row.bind(permit.issuer)
        row.bind(permit.runner)
        try row.run()
        memory.permits = nil
    }

    func removePermits(_ ids: [Int64]) throws {
        for id in ids { try change(SQL.removePermit, id) }
        memory.permits = nil
    }

    package func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int {
        let end = try reserveSequence(0) - Int64(newest)
        let old = try oldEntries(before: moment, ended: ended, and: end, limit: limit)
        var imageBytes: Int64 = 0
        for entry in old {
            switch entry.place {
            case .event(let bytes):
                try change(SQL.removeEvent, entry.sequence)
                if bytes >= JournalImages.countedBytes { imageBytes += bytes }
            case .attempt(let task, let number):
                let row = try connection.prepare(SQL.removeAttempt)
                row.bind(task)
                row.bind(number)
                try row.run()
            }
        }
        try JournalImages(connection).removed(imageBytes)
        return old.count
    }

    /// The first journal entries older than their cutoff, with numbers before `end`.
    private func oldEntries(
        before moment: Timestamp, ended: Timestamp, and end: Int64, limit: Int
    ) throws(QueueError) -> [OldEntry] {
        var old: [OldEntry] = []
        for (query, moment) in [(SQL.oldEvents, moment), (SQL.oldAttempts, ended)] {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(end)
            row.bind(moment)
            row.bind(limit)
            while try row.next() {
                old.append(
                    OldEntry(
                        sequence: row.integer(0),
                        place: row.isNull(1)
                            ? .event(imageBytes: row.optionalInteger(3) ?? 0)
                            : .attempt(task: row.integer(1), number: row.integer(2))))
            }
        }
        return Array(old.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }
}

/// An entry of the journal that may go.
private struct OldEntry {
    enum Place {
        case event(imageBytes: Int64)
        case attempt(task: TaskID, number: Int64)
    }

    var sequence: Int64
    var place: Place
}

/// Images for checkpoints (G5).
extension TableWriter {
    private enum ImageSQL {
        static let put = Query(
            .insert(
                into: "sluice_image", ImageRow.columns,
                replacing: ["mark", "kind", "task", "queue"]))
        static let remove = Query("DELETE FROM sluice_image WHERE mark < ?")
        static let putStep = Query(
            .insert(into: "sluice_step", ["token", "record"], replacing: ["token"]))
        static let removeStep = Query(.delete(from: "sluice_step", where: ["token"]))
    }

    func put(_ images: [CheckpointImage]) throws {
        for image in images {
            let row = try connection.prepare(ImageSQL.put)
            ImageRow.bind(image, to: row)
            try row.run()
        }
    }

    func put(_ step: StepImage) throws {
        let row = try connection.prepare(ImageSQL.putStep)
        row.bind(step.token)
        row.bind(step.stored.text)
        try row.run()
        for token in try stepTokens().dropLast(StepImage.kept) {
            try change(ImageSQL.removeStep, token)
        }
    }

    func removeImages(before mark: Int64) throws { try change(ImageSQL.remove, mark) }
}

/// The checks of `doctor` in the engine: values derived from the tasks.
extension TableWriter {
    private enum RebuildSQL {
        static let page = Query(
            "SELECT id, lane, rank FROM sluice_task WHERE id > ? ORDER BY id LIMIT 1000")
        static let clearTallies = Query("DELETE FROM \(Tallies.rows)")
        static let fillTallies = Query(
            """
            INSERT INTO sluice_tally (queue, state, lane, n)
            \(TallyCheck.counted)
            """)
        static let roleSums = Query(
            """
            SELECT CAST(count(*) AS DOUBLE PRECISION),
                \(["task", "position", "state", "is_member", "holds"].map(total)
                    .joined(separator: ", ")),
                (SELECT \(total("starts * 3 + waiting * 5 + running")) FROM sluice_group)
            FROM sluice_role
            """)
        /// Sums use floating point: they are only compared, and must not overflow.
        private static func total(_ expression: String) -> String {
            "coalesce(sum(CAST(\(expression) AS DOUBLE PRECISION)), 0)"
        }
        static let clearRoles = Query("DELETE FROM sluice_role")
        static let clearGroups = Query("DELETE FROM sluice_group")
    }

    package func rebuildIndexes() throws -> [String] {
        var problems: [String] = []
        try writeCounts()
        let sums = try numbers(RebuildSQL.roleSums)
        try run(RebuildSQL.clearRoles)
        try run(RebuildSQL.clearGroups)
        groupTallies.removeAll()
        let wrong = try rewriteTasks()
        if wrong > 0 {
            problems.append("\(NumberText.tasks(wrong)): a wrong lane or place in the order")
        }
        try writeGroupTallies()
        if try numbers(RebuildSQL.roleSums) != sums {
            problems.append("the rows of groups did not follow from the tasks")
        }
        let unequal = try TallyCheck.wrong(connection)
        if unequal > 0 { problems.append("wrong counts of tasks: \(unequal)") }
        let early = try numbers(LastPositions.wrong).first ?? 0
        if early > 0 { problems.append("queues that gave taken positions: \(Int(early))") }
        try run(LastPositions.mend)
        let failures = try Self.wrongFailures(connection)
        if failures > 0 { problems.append("queues with wrong counts of errors: \(failures)") }
        try run(RebuildSQL.clearTallies)
        try run(RebuildSQL.fillTallies)
        forgetTallies()
        positions = LastPositions()
        try recountFailures()
        return problems
    }

    /// Writes each task's own columns again where they differ, and its rows of groups; gives how
    /// many differed.
    private func rewriteTasks() throws -> Int {
        var last: TaskID = 0
        var wrong = 0
        while true {
            let page = try pageOfColumns(after: last)
            let tasks = try storedTasks(page.map(\.id))
            for (id, waitFlags, rank) in page {
                last = id
                guard let task = tasks[id] else { continue }
                let queue = try entry(for: task)
                try moveRoles(from: nil, to: Roles(task, queue: queue))
                let key = task.orderKey(queue.record.settings.order)
                guard waitFlags != IndexBucket.number(of: task, in: queue) || rank != key.bytes
                else { continue }
                wrong += 1
                let row = try connection.prepare(TaskColumns.updateLife)
                TaskRow.bindLife(task, in: queue, to: row)
                row.bind(id)
                try row.run()
            }
            if page.count < 1000 { return wrong }
        }
    }

    private func pageOfColumns(
        after id: TaskID
    ) throws -> [(id: TaskID, waitFlags: Int64, rank: [UInt8])] {
        let row = try connection.prepare(RebuildSQL.page)
        row.bind(id)
        defer { row.reset() }
        var page: [(id: TaskID, waitFlags: Int64, rank: [UInt8])] = []
        while try row.next() { page.append((row.integer(0), row.integer(1), row.bytes(2))) }
        return page
    }

    private func numbers(_ query: Query) throws -> [Double] {
        let row = try connection.prepare(query)
        defer { row.reset() }
        guard try row.next() else { return [] }
        let columns: Int32 = query === RebuildSQL.roleSums ? 7 : 1
        return (0..<columns).map { row.optionalDouble($0) ?? 0 }
    }

    private func run(_ query: Query) throws { try connection.prepare(query).run() }
}
