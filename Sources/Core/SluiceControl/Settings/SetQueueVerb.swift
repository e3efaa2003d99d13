import SluiceModel
import SluiceStore

/// Makes a queue, or changes its settings.
package struct SetQueueVerb: StoreVerb {
    package let queue: String
    package let changes: [SettingChange]

    package var verbName: String { "queue set" }
    package var makesStore: Bool { true }

    /// One command sets the queue or one type. Several are joined.
    package func command(in text: CommandText) -> String {
        var parts: [(type: String?, options: String)] = changes.isEmpty ? [(nil, "")] : []
        for change in changes {
            if parts.isEmpty || parts[parts.count - 1].type != change.type {
                let option = change.type.map { " --type \(ShellWord.quoted($0))" }
                parts.append((change.type, option ?? ""))
            }
            parts[parts.count - 1].options += " --\(change.name) \(ShellWord.quoted(change.text))"
        }
        return parts.map { ShellWord.command("queue set", queue, $0.options) }
            .joined(separator: " && sluice ")
    }

    package func perform(in context: VerbContext) throws {
        try Names.check(queue, of: "queue")
        let known = try context.store.queue(named: queue)
        let isNew = known == nil
        let name = known?.name ?? Names.composed(queue)
        if isNew { try context.store.put(QueueRecord(name: name, createdAt: context.now)) }
        let former = try context.mutation.queue(name).settings
        var settings = former
        for change in changes { try settings.apply(change) }
        try settings.checkKeys(queue: name)
        guard isNew || settings != former else {
            context.answer.summary =
                "settings of \(name) unchanged" + Self.words(of: changes, in: former)
            return
        }
        try context.mutation.changeQueue(name) { $0.settings = settings }
        if isNew { context.answer.createdQueue = name }
        let kept = try context.mutation.queue(name).settings
        let isFolder = try !former.expiresAlike(kept) && context.store.isAppFolder(name)
        if isFolder { try expireInFolder(name, before: former, now: kept, in: context) }
        try tellUnreached(in: context, name, before: former, now: kept, isExpiryGiven: isFolder)
        if kept.ranks != former.ranks, !kept.ranks.ranks.isEmpty, kept.order != .priority {
            context.answer.consequences.append(
                "the order of \(name) is not priority, so ranks have no effect: "
                    + "add --order priority")
        }
        try context.journal(
            "queueSet", queue: name,
            isNew
                ? "\(name) made by \(context.person)"
                : "settings of \(name) changed by \(context.person)"
                    + Self.words(of: changes, in: kept),
            undo: isNew ? nil : try context.mutation.undoRecord(withQueue: name))
    }

    /// The named settings with their new values.
    private static func words(of changes: [SettingChange], in kept: QueueSettings) -> String {
        var all: [String] = []
        for change in changes {
            guard let words = kept.words(of: change), !all.contains(words) else { continue }
            all.append(words)
        }
        guard !all.isEmpty else { return "" }
        let more = all.count > 4 ? " and \(all.count - 4) more" : ""
        return ": " + all.prefix(4).joined(separator: ", ") + more
    }

    /// Reports the waiting tasks that a new setting does not affect. A task copies its expiry and
    /// priority from the settings at enqueue.
    private func tellUnreached(
        in context: VerbContext, _ name: String, before: QueueSettings, now after: QueueSettings,
        isExpiryGiven: Bool
    ) throws {
        let waiting = try context.store.counts(queue: name)[.waiting]
        guard waiting > 0 else { return }
        let copied: [(isChanged: Bool, what: String)] = [
            (!isExpiryGiven && !before.expiresAlike(after), "expiry"),
            (
                before.priorityNames != after.priorityNames || before.ranks != after.ranks,
                "priority"
            ),
        ]
        let verb = waiting == 1 ? "waits keeps its" : "wait keep their"
        for setting in copied where setting.isChanged {
            context.answer.consequences.append(
                "\(NumberText.tasks(waiting)) that \(verb) \(setting.what): the setting holds "
                    + "for tasks that are enqueued from now on")
        }
    }
}

/// The expiry of tasks in a Customer.io folder, by their `created_at` as in its SDK (P6).
extension SetQueueVerb {
    /// Applies the new expiry to waiting tasks. The SDK wrote them, so no enqueue set an expiry.
    /// Keeps a task's own expiry.
    private func expireInFolder(
        _ name: String, before: QueueSettings, now after: QueueSettings, in context: VerbContext
    ) throws {
        var (last, changed, passed): (TaskID, Int, Int) = (0, 0, 0)
        while true {
            let page = try context.store.tasks(.numbered(after: last, in: [.waiting]), limit: 1_000)
            guard let end = page.last else { break }
            last = end.id
            for task in page where task.queue == name {
                let expiry = after.expiry(of: task, from: task.createdAt)
                guard task.expiresAt != expiry,
                    task.expiresAt == before.expiry(of: task, from: task.createdAt)
                else { continue }
                try context.mutation.apply(.edit([.expiresAt(expiry)]), to: task)
                changed += 1
                if let expiry, expiry <= context.now { passed += 1 }
            }
        }
        guard changed > 0 else { return }
        let verb = changed == 1 ? "that waits has" : "that wait have"
        context.answer.consequences.append(
            "\(NumberText.tasks(changed)) \(verb) the new expiry, counted from created_at"
                + (passed > 0 ? "; \(passed) of them passed already" : ""))
    }
}

extension QueueSettings {
    fileprivate func expiresAlike(_ other: QueueSettings) -> Bool {
        expiresAfterMilliseconds == other.expiresAfterMilliseconds
            && startsExpire == other.startsExpire
    }
}

extension SetQueueVerb {
    /// Reads the words of `queue set`.
    fileprivate init(_ arguments: Arguments) throws(QueueError) {
        queue = try arguments.oneQueue()
        let type = try arguments.name("--type", of: "type")
        var changes: [SettingChange] = []
        for setting in QueueSetting.allCases {
            guard let text = arguments.text(setting.option) else { continue }
            if let type {
                changes.append(try setting.change(text, ofType: type))
            } else {
                changes.append(try setting.change(text))
            }
        }
        guard type == nil || !changes.isEmpty else {
            let options = QueueSetting.ofTypes.map(\.option).joined(separator: ", ")
            throw .usage("--type is without a setting: \(options)", of: arguments.command)
        }
        self.changes = changes
    }
}

extension Verb {
    /// Makes a queue, or changes its settings.
    public static func setQueue(_ queue: String, _ changes: [SettingChange]) -> Verb {
        Verb(SetQueueVerb(queue: queue, changes: changes))
    }
}

extension Action.ID {
    package static let setQueue = Self("setQueue")
}

extension Action {
    static let setQueue = Action(
        .setQueue, key: "E", .queue, "settings", "make a queue, or change its settings",
        Command("queue set", "NAME", [.queue], options: settingOptions, changes: true)
    ) { words throws(QueueError) in
        Verb(try SetQueueVerb(words))
    }

    private static let settingOptions =
        [
            Command.Option(
                "--type", .text("TYPE"),
                "settings of one type: attempts, retry, timeout, …; default unsets")
        ] + QueueSetting.allCases.map { Command.Option($0.option, $0.value, $0.help) }
}
