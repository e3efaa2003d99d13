import SluiceModel
import SluiceStore

/// The only mapping between a task and its columns. It derives index columns from the task and its
/// queue, and converts sum types to columns and back.
enum TaskRow {
    /// The maximum payload size stored in the task's own row.
    static let inlinePayloadBytes = 512

    static func bindLife(
        _ task: QueueTask, in queue: TableReader.QueueEntry, to statement: any BoundStatement
    ) {
        let settings = queue.record.sharedSettings
        statement.bind(task.state.name.code)
        statement.bind(IndexBucket.number(of: task, in: queue))
        statement.bind(task.orderKey(settings.value.order).bytes)
        statement.bind(task.version)
        statement.bind(MarkBits(task).rawValue)
        statement.bind(task.attempts)
        statement.bind(task.executions)
        statement.bind(task.updatedAt)
        statement.bind(freshAt(task, settings: settings))
        statement.bind(task.wakesAt)
        statement.bind(expiringAt(task, settings: settings))
        statement.bind(task.waiting?.timer?.until)
        statement.bind(task.waiting?.timer?.since)
        statement.bind(task.running?.since ?? task.endedAt)
        statement.bind(task.running?.owner ?? task.waiting?.lingering?.owner)
        statement.bind(task.running?.token)
        statement.bind(task.running?.attempt ?? task.waiting?.lingering?.attempt)
        statement.bind(task.lastError)
        statement.bind(detail(task))
    }

    /// Binds `TaskColumns.updateLease`.
    static func bindLease(
        _ task: QueueTask, in queue: TableReader.QueueEntry, to statement: any BoundStatement
    ) {
        statement.bind(task.state.name.code)
        statement.bind(IndexBucket.number(of: task, in: queue))
        statement.bind(task.orderKey(queue.record.sharedSettings.value.order).bytes)
        statement.bind(task.version)
        statement.bind(task.executions)
        statement.bind(task.updatedAt)
        statement.bind(task.running?.since ?? task.endedAt)
        statement.bind(task.running?.owner)
        statement.bind(task.running?.token)
        statement.bind(task.running?.attempt)
    }

    /// Whether two values of one task differ in nothing but what `TaskColumns.updateLease` names.
    static func differInLease(
        _ old: QueueTask, _ new: QueueTask, settings: SharedSettings
    ) -> Bool {
        guard old.waiting?.timer == nil, new.waiting?.timer == nil,
            MarkBits(old) == MarkBits(new),
            expiringAt(old, settings: settings) == expiringAt(new, settings: settings),
            detail(old) == nil, detail(new) == nil
        else { return false }
        var other = old
        (other.state, other.version) = (new.state, new.version)
        (other.executions, other.updatedAt) = (new.executions, new.updatedAt)
        return other == new
    }

    static func bindFixed(_ task: QueueTask, queueID: Int64, to statement: any BoundStatement) {
        statement.bind(queueID)
        statement.bind(task.type)
        statement.bind(task.position)
        statement.bind(task.priority)
        statement.bind(task.sortKey)
        statement.bind(NeedBits(task).rawValue)
        statement.bind(task.attemptLimit)
        statement.bind(task.createdAt)
        statement.bind(task.expiresAt)
        statement.bind(task.groupStart)
        statement.bind(task.uniqueKey)
        statement.bind(task.session)
        // `detail` stores non-text values.
        statement.bind(task.clientString?.text)
        statement.bind(task.parent)
        statement.bind(task.depth)
        statement.bind(task.label)
    }

    /// Whether two values of one task differ in nothing but what `TaskColumns.life` names.
    static func differInLife(_ old: QueueTask, _ new: QueueTask) -> Bool {
        var other = old
        (other.state, other.version, other.isHeld) = (new.state, new.version, new.isHeld)
        (other.attempts, other.executions) = (new.attempts, new.executions)
        (other.updatedAt, other.freshAt) = (new.updatedAt, new.freshAt)
        (other.lastError, other.groupMembers) = (new.lastError, new.groupMembers)
        (other.losses, other.lossesInSuccession) = (new.losses, new.lossesInSuccession)
        other.offlineInSuccession = new.offlineInSuccession
        (other.collector, other.scheduled) = (new.collector, new.scheduled)
        return other == new
    }

    /// Whether a start holds the one value of a task and not the other, and nothing else differs.
    static func differInHold(_ old: QueueTask, _ new: QueueTask) -> Bool {
        guard old.isHeld != new.isHeld, old.version == new.version else { return false }
        var other = old
        other.isHeld = new.isHeld
        return other == new
    }

    /// When a waiting task can expire; starts that are exempt cannot (Q8).
    static func expiringAt(_ task: QueueTask, settings: SharedSettings) -> Timestamp? {
        guard task.waiting != nil, task.groupStart == nil || settings.value.startsExpire else {
            return nil
        }
        return task.expiresAt
    }

    /// Only batched queues query fresh tasks. In other queues the time is negative, which excludes
    /// the row from the index.
    static func freshAt(_ task: QueueTask, settings: SharedSettings) -> Int64 {
        if case .batched = settings.value.start { return task.freshAt.milliseconds }
        return -task.freshAt.milliseconds
    }

    /// The task of a row of `TaskColumns.list`; `queueName` names the queue of a number.
    static func read(
        _ row: any BoundStatement, queueName: (Int64) throws(QueueError) -> String
    ) throws(QueueError) -> QueueTask {
        let detail = row.isNull(16) ? StoredFields() : try StoredFields(text: row.text(16))
        var task = QueueTask(
            id: row.integer(0), queue: try queueName(row.integer(17)), type: row.text(18),
            position: row.integer(19), createdAt: row.moment(24),
            state: try state(row, detail: detail))
        task.version = row.integer(3)
        task.isHeld = MarkBits(rawValue: row.integer(4)).contains(.held)
        task.attempts = row.int(5)
        task.executions = row.int(6)
        task.updatedAt = row.moment(7)
        task.freshAt = Timestamp(milliseconds: abs(row.integer(8)))
        task.lastError = row.optionalText(15)
        task.priority = Int(row.integer(20))
        task.sortKey = try row.sortKey(21)
        let needs = NeedBits(rawValue: row.integer(22))
        task.requires = needs.requires
        task.isRequired = needs.contains(.required)
        task.attemptLimit = row.optionalInteger(23).map(Int.init)
        task.expiresAt = row.optionalMoment(25)
        task.groupStart = row.optionalText(26)
        task.uniqueKey = row.optionalText(27)
        task.session = row.optionalText(28)
        task.clientString = row.optionalText(29).map { ClientString($0) }
        task.parent = row.optionalInteger(30)
        task.depth = row.int(31)
        task.label = row.optionalText(32)
        if !detail.isEmpty { try readDetail(detail, &task) }
        return task
    }
}

/// `detail` stores rare values.
extension TaskRow {
    private static func detail(_ task: QueueTask) -> String? {
        var fields = StoredFields()
        fields.put("members", each: task.groupMembers)
        fields.put("offline", nonZero(task.offlineInSuccession))
        fields.put("losses", nonZero(task.losses))
        fields.put("lossesInSuccession", nonZero(task.lossesInSuccession))
        fields.put("collector", task.collector)
        fields.put("clientBytes", bytesOf: task.clientString)
        fields.put("scheduled", task.scheduled)
        if !task.headers.isEmpty { fields.put("headers", TaskHeaders.json(task.headers)) }
        switch task.state {
        case .waiting(let waiting):
            fields.put("skip", waiting.skip)
            fields.put("parking", waiting.parking)
            fields.put("lingering", waiting.lingering)
        case .running(let running):
            fields.put("stop", running.stop)
            fields.put("notBefore", running.notBefore)
            fields.put("deletion", running.deletion)
            fields.put("injection", running.injection)
        case .succeeded:
            break
        case .failed(let failure):
            if failure.reason != task.lastError { fields.put("reason", failure.reason) }
            fields.put("startPolicy", failure.startPolicy)
            fields.put("lingering", failure.lingering)
        case .deleted(let trash):
            fields.put("by", trash.by)
            fields.put("former", trash.former)
            fields.put("startPolicy", trash.startPolicy)
        }
        return fields.isEmpty ? nil : fields.text
    }

    private static func nonZero(_ number: Int) -> Int? { number == 0 ? nil : number }

    private static func readDetail(
        _ detail: StoredFields, _ task: inout QueueTask
    ) throws(QueueError) {
        task.groupMembers = try detail.optional("members") ?? []
        task.offlineInSuccession = try detail.optional("offline") ?? 0
        task.losses = try detail.optional("losses") ?? 0
        task.lossesInSuccession = try detail.optional("lossesInSuccession") ?? 0
        task.collector = try detail.optional("collector")
        if let bytes = try detail.clientBytes("clientBytes") { task.clientString = bytes }
        task.scheduled = try detail.optional("scheduled")
        task.headers = try detail.optional("headers", TaskHeaders.read(stored:)) ?? [:]
    }

    private static func state(
        _ row: any BoundStatement, detail: StoredFields
    ) throws(QueueError) -> TaskState {
        let moment = row.moment(11)
        let isAcknowledged = MarkBits(rawValue: row.integer(4)).contains(.acknowledged)
        switch try TaskState.Name(code: row.integer(1)) {
        case .waiting:
            return .waiting(try waiting(row, detail: detail))
        case .running:
            var running = Running(
                owner: row.integer(12), token: row.integer(13), attempt: row.int(14),
                since: moment,
                isStep: MarkBits(rawValue: row.integer(4)).contains(.step))
            running.stop = try detail.optional("stop")
            running.notBefore = try detail.optional("notBefore")
            running.deletion = try detail.optional("deletion")
            running.injection = try detail.optional("injection")
            return .running(running)
        case .succeeded:
            return .succeeded(Success(at: moment, isAcknowledged: isAcknowledged))
        case .failed:
            let reason = try detail.optional("reason") ?? row.text(15)
            return .failed(
                Failure(
                    at: moment, reason: reason,
                    startPolicy: try detail.optional("startPolicy"),
                    isAcknowledged: isAcknowledged,
                    lingering: try detail.optional("lingering")))
        case .deleted:
            return .deleted(
                Trash(
                    at: moment, by: try detail.required("by"),
                    former: try detail.required("former"),
                    startPolicy: try detail.optional("startPolicy"),
                    isAcknowledged: isAcknowledged))
        }
    }

    /// The flags say the timer's cause and the run's mark.
    private static func waiting(
        _ row: any BoundStatement, detail: StoredFields
    ) throws(QueueError) -> Waiting {
        let waitFlags = IndexBucket.waitFlags(row.int(2))
        var waiting = Waiting()
        if let until = row.optionalMoment(9) {
            waiting.timer = WaitTimer(
                until: until, cause: waitFlags.contains(.retrying) ? .retry : .notBefore,
                since: row.moment(10))
        }
        waiting.attemptedInRun = waitFlags.contains(.attempted)
        guard !detail.isEmpty else { return waiting }
        waiting.skip = try detail.optional("skip")
        waiting.parking = try detail.optional("parking")
        waiting.lingering = try detail.optional("lingering")
        return waiting
    }
}

/// A task that has just come and carries nothing rare: most columns are the same in every such row.
extension TaskRow {
    /// Whether `TaskColumns.insertPlain` holds all of a task: it has what `bindAlike` and `bindOwn`
    /// bind, and all else as it is in a new one.
    static func isPlain(_ task: QueueTask) -> Bool {
        var plain = QueueTask(
            id: task.id, queue: task.queue, type: task.type, position: task.position,
            createdAt: task.createdAt)
        (plain.priority, plain.attemptLimit) = (task.priority, task.attemptLimit)
        (plain.updatedAt, plain.freshAt) = (task.updatedAt, task.freshAt)
        plain.expiresAt = task.expiresAt
        return plain == task
    }

    /// Whether another such task differs in nothing but what `bindOwn` binds, which `twin` takes
    /// over: one copy is compared with many.
    static func isAlike(_ twin: inout QueueTask, _ other: QueueTask) -> Bool {
        (twin.id, twin.position) = (other.id, other.position)
        return twin == other
    }

    static func bindAlike(
        _ task: QueueTask, in queue: TableReader.QueueEntry, to statement: any BoundStatement
    ) {
        let settings = queue.record.sharedSettings
        statement.bind(queue.id)
        statement.bind(IndexBucket.number(of: .ready, isMainType: task.type == queue.types.main))
        statement.bind(task.type)
        statement.bind(task.priority)
        statement.bind(task.attemptLimit)
        statement.bind(task.createdAt)
        statement.bind(task.updatedAt)
        statement.bind(freshAt(task, settings: settings))
        statement.bind(task.expiresAt)
        statement.bind(expiringAt(task, settings: settings))
    }

    /// Binds the individual values of a task.
    static func bindOwn(
        _ new: NewTask, order: QueueOrder, to statement: any BoundStatement
    ) {
        statement.bind(new.task.id)
        statement.bind(
            OrderKey(
                position: new.task.position, priority: new.task.priority,
                sortKey: new.task.sortKey, order: order
            ).bytes)
        statement.bind(new.task.position)
        statement.bind(new.payload)
    }
}
