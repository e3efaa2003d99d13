public import SluiceModel
import SluiceStore

/// A new payload, and fields (D7).
package struct EditVerb: TaskVerb {
    package static let name = "edit"
    package static let help = "payload and fields"
    package static let participle = "edited"
    package static let options = [
        Command.Option("--payload", .bytes("P"), "the new payload"),
        Command.Option("--payload-file", .file, "the new payload from a file, or -"),
        Command.Option(
            "--set", .text("FIELD=VALUE"), fields.joined(separator: ", "), repeats: true),
    ]
    package static let takesOne = true
    package static let takesMarks = false
    package static let keepsQueueLength = true
    package static let states: Set<TaskState.Name> = [.waiting, .failed]
    private static let fields = [
        "type", "priority", "sortKey", "label", "attempts", "expires", "requires", "required",
    ]
    /// The new payload; nil where it stays.
    package var payload: [UInt8]?
    package var fields: [FieldChange]

    package static func reason(against shown: ShownTask) -> String? {
        if let reason = shown.isNotWaitingOrFailed { return reason }
        guard let parking = shown.task.waiting?.parking, parking.cause == .editing else {
            return nil
        }
        return "\(parking.detail) is editing \(shown.name): \(shown.key(.retry)) takes it away"
    }

    package func words(in text: CommandText) -> [String] {
        payload == nil ? [] : ["--payload-file", "FILE"]
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        var changes = fields.map { field -> FieldChange in
            if case .type(let type) = field { return .type(Names.composed(type)) }
            return field
        }
        try check(changes, of: task, in: context)
        if let payload {
            let settings = try context.mutation.queue(task.queue).settings
            try settings.check(payloadBytes: payload.count, queue: task.queue)
            let before = try context.store.payload(of: task.id)
            changes.append(.payload)
            let change = try task.applying(
                .edit(changes), settings: settings, now: context.now,
                real: context.real)
            context.mutation.record(before: task, after: change.task, payloadBefore: before)
            try context.store.setPayload(payload, of: task.id)
        }
        try context.mutation.apply(.edit(changes), to: task)
    }

    /// Edited fields have the same limits as enqueued ones (T5, T6).
    private func check(
        _ fields: [FieldChange], of task: QueueTask, in context: VerbContext
    ) throws {
        for field in fields {
            switch field {
            case .type(let type):
                try Names.check(type, of: "type")
                var renamed = task
                renamed.type = type
                if task.waiting != nil { try context.refuseTakenKey(renamed) }
            case .attemptLimit(let limit?) where limit < 1:
                throw QueueError(
                    .badValue, "attempts is \(limit)", fix: "a task needs at least 1 attempt")
            default: break
            }
        }
    }
}

extension EditVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        let options = words.options
        guard !(options.has("--payload") && options.has("--payload-file")) else {
            throw .usage("either --payload or --payload-file", of: options.command)
        }
        payload = options.bytes("--payload") ?? words.contents("--payload-file")
        fields = []
        for text in options.all("--set") { fields.append(try Self.field(text, now: words.now)) }
        guard payload != nil || !fields.isEmpty else {
            throw .usage(
                "nothing to change: --payload, --payload-file or --set", of: options.command)
        }
    }

    private static func field(_ text: String, now: Timestamp) throws(QueueError) -> FieldChange {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw .badValue("--set", text, allowed: "FIELD=VALUE")
        }
        let value = String(parts[1])
        let option = "--set \(parts[0])"
        switch parts[0] {
        case "type":
            try Names.check(value, of: "type")
            return .type(value)
        case "priority": return .priority(try Arguments.priority(value, of: option))
        case "sortKey": return .sortKey(value.isEmpty ? nil : Arguments.sortKey(value))
        case "label": return .label(value.isEmpty ? nil : value)
        case "attempts": return .attemptLimit(try Arguments.countOrNone(value, of: option))
        case "expires":
            let moment = value == "none" ? nil : try Arguments.moment(value, of: option)
            return .expiresAt(moment?.time(at: now))
        case "requires":
            let names = value == "none" ? [] : value.split(separator: ",").map(String.init)
            return .requires(try Arguments.requirements(names, of: option))
        case "required": return .isRequired(try Arguments.yesOrNo(value, of: option))
        default: throw unknownField(String(parts[0]))
        }
    }

    private static func unknownField(_ name: String) -> QueueError {
        let near = Spelling.nearest(to: name, among: fields)
        let known = fields.joined(separator: ", ")
        return QueueError(
            .badValue, "--set: there is no field \"\(name)\"",
            fix: near.map { "did you mean \($0)?" } ?? "allowed: \(known)")
    }
}

extension Verb {
    /// Gives tasks a payload, fields, or both (D7).
    public static func edit(
        _ targets: [TaskTarget], payload: [UInt8]?, fields: [FieldChange]
    ) -> Verb {
        on(targets, EditVerb(payload: payload, fields: fields))
    }
}
