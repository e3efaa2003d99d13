package import SluiceControl
package import SluiceModel
package import SluiceStore
import SluiceSystem

/// A report as one Markdown text (G7).
package struct ReportText {
    /// The store of the tasks, and the moment of the read.
    package struct Setting: Sendable {
        let storeName: String
        let storeKind: String
        let schemaVersion: Int?
        let now: Timestamp
        var names = TaskNames()

        package init(of store: any QueueStore, at now: Timestamp) {
            (storeName, storeKind) = (store.name, store.shownKind)
            (schemaVersion, self.now) = (store.schemaVersion, now)
        }
    }
    private let setting: Setting
    private var redactions: Redactions
    private var page = Markdown()

    /// The report of some tasks without the values at some payload paths.
    private init(_ tasks: [TaskReport], _ setting: Setting, redacting paths: [PayloadPath]) {
        self.setting = setting
        redactions = Redactions(paths)
        for task in tasks {
            for payload in task.payloads { redactions.learn(payload) }
            redactions.learn(headers: task.detail.line.task.headers)
        }
        let one = tasks.count == 1 ? tasks.first?.detail.line.task : nil
        let title = one.map { "Task \(name($0.id))" } ?? "\(NumberText.tasks(tasks.count))"
        page.heading(1, title, one.map { redactions.clean($0.type) })
        writeVersions()
        for task in tasks { write(task, isAlone: tasks.count == 1) }
        writeRedactions()
    }

    package var text: String { page.text }
    /// The paths, with how often each applied.
    package var redacted: [(path: String, count: Int)] { redactions.counts }

    package init(
        of ids: [TaskID], _ reading: Reading, _ setting: Setting, redacting paths: [PayloadPath]
    ) throws {
        let tasks = try ids.map { try reading.report(of: $0) }
        var named = ids + tasks.flatMap { $0.chain.namedTasks }
        named += tasks.flatMap { $0.journal.flatMap(\.entry.tasks) }
        named += tasks.flatMap { [$0.detail.line.task.parent].compactMap(\.self) }
        named += tasks.flatMap(\.detail.followUps) + tasks.flatMap(\.detail.twins)
        named += tasks.flatMap(\.detail.queue.pauses.namedTasks)
        var setting = setting
        setting.names = try reading.names(of: named)
        self.init(tasks, setting, redacting: paths)
    }

    /// Parses payload paths to redact, with or without `payload.`. Throws `badValue` for an invalid
    /// path.
    package static func paths(_ texts: [String]) throws(QueueError) -> [PayloadPath] {
        var paths: [PayloadPath] = []
        for text in texts {
            let bare =
                ["payload.", "payload["].contains { text.hasPrefix($0) }
                ? String(text.dropFirst(text.hasPrefix("payload.") ? 8 : 7)) : text
            guard let found = PayloadPath.list(bare) else {
                throw .badValue(
                    "--redact", text, allowed: "a place of a payload, such as payload.user.email")
            }
            for path in found where !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    private func name(_ id: TaskID) -> String { setting.names.name(id) }

    private func moment(_ moment: Timestamp) -> String { TimeText.rfc3339(moment) }

    private mutating func item(_ words: String, _ value: String?) {
        let isOwn = Self.ownFields.contains(words)
        page.item(words, value.map { redactions.clean($0, isOwn: isOwn) })
    }

    private mutating func block(_ texts: [String], _ kind: String = "") {
        page.block(texts.flatMap { redactions.lines(of: $0) }, kind)
    }

    /// The fields without free text.
    private static let ownFields: Set<String> = [
        "id", "state", "due", "tries", "lost", "priority", "expires", "enqueued", "parent",
        "follow-ups", "version", "outcome", "took", "worker",
    ]

    private mutating func writeVersions() {
        page.item("program", "sluice \(Release.version)")
        let tables = setting.schemaVersion.map { ", tables of version \($0)" } ?? ""
        page.item("store", "\(StoreName.short(setting.storeName)), \(setting.storeKind)\(tables)")
        page.item("read at", moment(setting.now))
    }

    private mutating func writeRedactions() {
        guard !redactions.counts.isEmpty else { return }
        page.heading(2, "Redacted")
        for (path, count) in redactions.counts {
            page.item(count == 1 ? "1 time" : "\(NumberText.grouped(count)) times", path)
        }
    }

    private mutating func write(_ report: TaskReport, isAlone: Bool) {
        let task = report.detail.line.task
        if !isAlone { page.heading(2, "Task \(name(task.id))", redactions.clean(task.type)) }
        let level = isAlone ? 2 : 3
        if isAlone { page.heading(level, "Fields") }
        for (words, value) in fields(report.detail) { item(words, value) }
        for header in TaskHeaders.sorted(task.headers) {
            // A header is in no payload, so no path names it.
            let isShown = redactions.counts.isEmpty
            item("header \(header.name)", isShown ? header.value : Redactions.mark)
        }
        page.heading(level, "Payload")
        page.sentence("\(NumberText.grouped(report.detail.payload.count)) bytes.\n")
        page.block(redactions.lines(of: report.detail.payload))
        writeVersions(of: report, level)
        if let result = report.detail.result {
            page.heading(level, "Result")
            block(BytesText.lines(result))
        }
        writeAttempts(report, level)
        writeDifference(report, level)
        writeWhy(report, level)
        writeJournal(report, level)
        writeQueue(report.detail.queue, level)
    }

    private func fields(_ detail: TaskDetail) -> [(String, String?)] {
        let task = detail.line.task
        var key: String?
        switch task.sortKey {
        case .integer(let number): key = "\(number)"
        case .text(let text): key = text
        case nil: break
        }
        return [
            ("id", setting.names.reference(task.id)), ("queue", task.queue), ("type", task.type),
            ("state", detail.line.display.words),
            ("due", task.waiting?.timer.map { moment($0.until) }),
            ("tries", TaskSentences.tries(task, detail.queue)),
            ("lost", task.losses > 0 ? "\(task.losses)" : nil),
            ("priority", "\(task.priority)"), ("sort key", key),
            ("starts the group", task.groupStart),
            ("member of", task.groupMembers.joined(separator: ", ")),
            ("requires", task.requires.map(\.rawValue).sorted().joined(separator: ", ")),
            ("required", task.isRequired ? "yes" : nil), ("unique key", task.uniqueKey),
            ("label", task.label), ("session", task.session),
            ("client string", task.clientString.map(TaskSentences.clientString)),
            ("expires", task.expiresAt.map(moment)), ("enqueued", moment(task.createdAt)),
            ("parent", task.parent.map(name)),
            ("follow-ups", detail.followUps.map(name).joined(separator: " ")),
            ("twins", detail.twins.map(name).joined(separator: " ")),
            ("version", "\(task.version)"),
            // A task that succeeded in the end may have failed before.
            (task.state.name == .succeeded ? "last error" : "error", task.error),
        ]
    }
}

/// The history of the task.
extension ReportText {
    private mutating func writeVersions(of report: TaskReport, _ level: Int) {
        guard !report.changes.isEmpty else { return }
        page.heading(level, "Former payloads")
        for change in report.changes.reversed() {
            page.sentence("Until \(moment(change.at)), when it was edited by:\n")
            item("who", change.by)
            if let end = change.undoneAt { page.item("taken back", moment(end)) }
            page.sentence("")
            page.block(redactions.lines(of: change.before))
            page.sentence("")
        }
    }

    private mutating func writeAttempts(_ report: TaskReport, _ level: Int) {
        page.heading(level, "Attempts")
        guard !report.detail.attempts.isEmpty else {
            page.sentence("None yet.")
            return
        }
        if let sentence = report.detail.cutOffSentence { page.sentence("Note: \(sentence).") }
        for attempt in report.detail.attempts {
            page.heading(level + 1, "Attempt \(attempt.number)")
            page.item("began", moment(attempt.startedAt))
            for (words, value) in facts(attempt, report) { item(words, value) }
            if attempt.outcome != nil { page.item("counts", attempt.isCounted ? "yes" : "no") }
            item("injected", attempt.injection?.sentence)
            item("progress", attempt.progressText)
            guard !attempt.log.isEmpty else { continue }
            page.sentence("")
            var shown = attempt
            shown.log = attempt.log.map { AttemptStage(line: $0)?.sentence ?? $0 }
            page.block(redactions.cleanLog(of: shown))
        }
        for runner in report.runners {
            page.heading(level + 1, "Worker \(runner.id)")
            item("machine", runner.host)
            page.item("pid", "\(runner.pid)")
            page.item("attached", moment(runner.attachedAt))
            item("types", runner.types?.joined(separator: ", "))
            item("queues", runner.queues?.joined(separator: ", "))
        }
    }

    /// The facts that may differ between attempts.
    private func facts(
        _ attempt: AttemptRecord, _ report: TaskReport
    ) -> [(String, String?)] {
        let words = report.detail.words(of: attempt)
        return [
            ("outcome", words.ending), ("took", words.took),
            ("then", words.rest), ("error", attempt.error), ("worker", "\(attempt.runner)"),
        ]
    }

    private mutating func writeDifference(_ report: TaskReport, _ level: Int) {
        guard let (earlier, later) = report.lastTwo else { return }
        page.heading(level, "Attempt \(later.number) against attempt \(earlier.number)")
        func lines(_ attempt: AttemptRecord, ofOwn: Bool = false) -> [String] {
            let told = facts(attempt, report).filter { !ofOwn || Self.ownFields.contains($0.0) }
            return told.map { "\($0.0): \($0.1 ?? "none")" }
        }
        let own = Set(lines(earlier, ofOwn: true) + lines(later, ofOwn: true))
        var steps = difference(lines(earlier), lines(later), own: own)
        // Equal steps do not appear, so do not count them.
        var uncounted = redactions
        let logs = [earlier, later].map { attempt in
            attempt.log.flatMap { line in
                WebExchange(line: line).map { uncounted.clean($0).lines }
                    ?? AttemptStage(line: line).map { [$0.name] } ?? [line]
            }
        }
        steps += difference(logs[0], logs[1])
        steps += LineDifference(
            uncounted.lines(of: report.payload(of: earlier)),
            uncounted.lines(of: report.payload(of: later))
        ).changedSteps.map(\.marked)
        if steps.isEmpty {
            page.sentence("No difference.")
        } else {
            page.block(steps, "diff")
        }
    }

    private mutating func difference(
        _ before: [String], _ after: [String], own: Set<String> = []
    ) -> [String] {
        func lines(_ texts: [String]) -> [String] {
            texts.flatMap { text in
                text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
            }
        }
        let steps = LineDifference(lines(before), lines(after)).changedSteps
        return steps.map { redactions.clean($0.marked, isOwn: own.contains($0.text)) }
    }

    private mutating func writeWhy(_ report: TaskReport, _ level: Int) {
        page.heading(level, "Why it is not running")
        block(TaskSentences.why(report.chain, facts: report.faults, names: setting.names))
    }

    private mutating func writeJournal(_ report: TaskReport, _ level: Int) {
        page.heading(level, "Journal")
        guard !report.journal.isEmpty else {
            page.sentence("Nothing.")
            return
        }
        let lines = report.journal.map { EventLine($0, names: setting.names) }
        page.block(
            lines.flatMap { line in
                let told = redactions.lines(of: "\(line.by)  \(line.text)")
                let head = "\(line.sequence ?? 0)  \(moment(line.at))  "
                return [head + (told.first ?? "")] + told.dropFirst()
            })
    }

    private mutating func writeQueue(_ queue: QueueRecord, _ level: Int) {
        page.heading(level, "Queue", redactions.clean(queue.name))
        for pause in queue.activePauses(at: setting.now) {
            let reason = setting.names.reason(of: pause).map { ": \($0)" } ?? ""
            item("paused", "by \(pause.by) since \(moment(pause.since))\(reason)")
        }
        page.block(
            QueueSetting.allCases.compactMap { setting in
                queue.settings.change(for: setting).map {
                    redactions.clean("\(setting.name): \($0.text)", isOwn: true)
                }
            }
                + queue.settings.typeWords.map {
                    redactions.clean("type \($0.type): \($0.words)", isOwn: true)
                })
    }
}

extension LineDifference {
    fileprivate var changedSteps: [Step] { steps.filter { $0.kind != .same } }
}

extension LineDifference.Step {
    /// The line in diff notation.
    fileprivate var marked: String {
        switch kind {
        case .same: "  \(text)"
        case .removed: "- \(text)"
        case .added: "+ \(text)"
        }
    }
}

/// Reports without the redacted values.
extension Redactions {
    /// A payload without the values; JSON is indented.
    package mutating func lines(of payload: [UInt8]) -> [String] {
        if payload.isEmpty { return ["(empty)"] }
        if let json = try? JSONValue.parse(payload) {
            return lines(of: clean(json).unfoldedText)
        }
        guard let text = String(validating: payload, as: UTF8.self) else {
            return BytesText.lines(payload)
        }
        return lines(of: text)
    }

    /// A text without the values, line by line.
    package mutating func lines(of text: String) -> [String] {
        clean(text).split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }
}
