import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalUI

/// `logs`: the output of the running attempt of a task.
extension CommandContext {
    /// The last lines of its output.
    func logs(_ call: LogsCall) throws -> Reply {
        let running = try runningAttempt(call.task)
        guard let tail = try AttemptTail(of: running.task, runFolder: try store().runFolder)
        else {
            let loss = try AttemptTail.loss(of: running.task, runFolder: try store().runFolder)
            try tell(loss.map(running.words) ?? silence(of: running))
            return Reply(running.json(OutputFollower.News(isCut: loss != nil), loss: loss), [])
        }
        let news = OutputFollower.News(bytes: tail.bytes, isCut: tail.isCut).last(call.lines)
        return Reply(
            running.json(news, printedAt: Timestamp(milliseconds: tail.printedAt)),
            PrintedText.lines(news.bytes, isCut: news.isCut, limit: call.lines)
                .map(SafeText.visible))
    }

    /// The last lines, and all new output until the attempt ends.
    func followOutput(_ call: LogsCall) throws {
        let running = try runningAttempt(call.task)
        let wake = try EventSignal()
        let observation = try store().observe(at: ReadThrottle(try store())) { wake.signal() }
        defer { withExtendedLifetime(observation) {} }
        guard let folder = try store().runFolder, Files.exists(folder) else {
            return try tell(silence(of: running))
        }
        let watch = try DirectoryWatch(folder, for: [.created])
        var follower = OutputFollower(running.part, in: folder)
        var printed = FollowedText()
        var (isFirst, isMissingTold, isLossTold) = (true, false, false)
        while true {
            // The attempt's end removes the files, so that a look after it has all of them.
            let goesOn = try self.goesOn(running)
            try? watch.add("\(folder)/\(OutputFolder.name)", for: Self.outputEvents)
            var news = try follower.next()
            if isFirst { news = news.last(call.lines) }
            if news.isCut, !isFirst, !isMissingTold {
                isMissingTold = true
                try tell("it prints faster than this is read: some output is missing from here on")
            }
            try write(news, of: running, isFirst: isFirst, &printed)
            isFirst = false
            if !isLossTold,
                let loss = try AttemptTail.loss(of: running.task, runFolder: try store().runFolder)
            {
                isLossTold = true
                try tell(running.words(loss))
            }
            guard goesOn else { break }
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)] + watch.interests,
                timeoutMilliseconds: nil)
            wake.drain()
            _ = try watch.drain()
        }
        if !common.isJSON { try host.write(printed.end(), .output) }
        try tell(try ending(of: running))
    }

    private static let outputEvents: WatchEvent.Kinds = [
        .modified, .created, .deleted, .movedIn,
    ]

    private func write(
        _ news: OutputFollower.News, of running: RunningAttempt, isFirst: Bool,
        _ printed: inout FollowedText
    ) throws {
        guard !news.bytes.isEmpty else { return }
        let text =
            common.isJSON ? running.json(news).text + "\n" : printed.add(news, isFirst: isFirst)
        try host.write(text, .output)
    }

    /// The attempt that runs now. Throws with the place of the output of ended attempts.
    private func runningAttempt(_ reference: TaskReference) throws -> RunningAttempt {
        _ = try store()
        guard tapeMoment == nil else {
            throw QueueError.notLegal(
                "\(storeName) is a tape, which keeps no output",
                fix: "show has the results and logs of its attempts")
        }
        return try read { reading in
            let id = try reading.store.resolve(reference)
            let task = try reading.store.requireTask(id)
            let name = try reading.names(of: [id]).name(id)
            guard let lease = task.running else {
                let show = ShellWord.command("sluice show", "\(reference)")
                throw QueueError.notLegal(
                    "\(name) does not run, and output is kept only while an attempt runs",
                    fix: "\(show) has the results and logs of ended attempts")
            }
            let attempt = try reading.store.attempts(of: id).last { $0.number == lease.attempt }
            return RunningAttempt(
                task: task, lease: lease, name: name, hasChild: attempt?.childPID != nil)
        }
    }

    /// Whether the attempt still runs in a live worker.
    private func goesOn(_ running: RunningAttempt) throws -> Bool {
        let signs = VitalSigns(of: try store())
        return try store().readBlocking { store in
            guard let lease = try store.task(running.task.id)?.running,
                lease.token == running.lease.token,
                let worker = try store.processes().first(where: { $0.id == lease.owner })
            else { return false }
            return !signs.isDead(worker)
        }
    }

    private func ending(of running: RunningAttempt) throws -> String {
        let (id, number) = (running.task.id, running.lease.attempt)
        let (task, attempt) = try store().readBlocking { store in
            (try store.task(id), try store.attempts(of: id).last { $0.number == number })
        }
        let begin = "attempt \(number) of \(running.name)"
        guard task != nil else { return "\(begin) has ended, and the task is not kept" }
        guard let outcome = attempt?.outcome else {
            return "\(begin) has lost its worker; sluice why \(id) has more"
        }
        return "\(begin) has ended (\(outcome.rawValue)); sluice show \(id) has its result and log"
    }

    private func silence(of running: RunningAttempt) -> String {
        let begin = "attempt \(running.lease.attempt) of \(running.name)"
        return running.hasChild
            ? "\(begin) has printed nothing on this machine"
            : "\(begin) runs no command that prints"
    }

    /// A sentence on standard error, to people.
    private func tell(_ sentence: String) throws {
        guard !common.isQuiet, !common.isJSON else { return }
        try host.remark(sentence)
    }
}

/// An attempt whose output is read.
private struct RunningAttempt: Sendable {
    let task: QueueTask
    let lease: Running
    let name: String
    let hasChild: Bool

    /// The name of its output.
    var part: String {
        OutputFolder.part(process: lease.owner, task: task.id, attempt: lease.attempt)
    }

    /// Why its output is missing, and the way out.
    func words(_ loss: SystemError) -> String {
        let advice = loss.isFull ? "; free space there for the output of the next attempt" : ""
        return "the output of attempt \(lease.attempt) of \(name) is not kept: "
            + loss.sentence + advice
    }

    func json(
        _ news: OutputFollower.News, printedAt: Timestamp? = nil, loss: SystemError? = nil
    ) -> JSONValue {
        var object: JSONObject = [
            "id": .integer(task.id), "attempt": JSONValue(lease.attempt),
            "cut": .bool(news.isCut),
        ]
        if let text = String(validating: news.bytes, as: UTF8.self) {
            object["output"] = .string(text)
        } else {
            object["outputBase64"] = .string(Base64.encode(news.bytes))
        }
        object["printedAt"] = printedAt.map { JSONValue($0) }
        object["notKept"] = loss.map { .string($0.sentence) }
        return .object(object)
    }
}

/// Printed bytes as a terminal may see them, piece by piece.
private struct FollowedText {
    private var printed = PrintedText()
    private var endsLine = true

    mutating func add(_ news: OutputFollower.News, isFirst: Bool) -> String {
        // Not from the middle of a character.
        let whole = isFirst && news.isCut ? news.bytes.drop { $0 & 0xC0 == 0x80 } : news.bytes[...]
        let bytes = printed.add(Array(whole)).map { $0 == UInt8(ascii: "\r") ? newline : $0 }
        if let last = bytes.last { endsLine = last == newline }
        return bytes.split(separator: newline, omittingEmptySubsequences: false)
            .map { SafeText.visible(String(decoding: $0, as: UTF8.self)) }
            .joined(separator: "\n")
    }

    /// The end of the last line.
    mutating func end() -> String { endsLine ? "" : "\n" }
}

private let newline = UInt8(ascii: "\n")

extension OutputFollower.News {
    /// The last lines alone.
    fileprivate func last(_ lines: Int) -> OutputFollower.News {
        guard lines > 0 else { return OutputFollower.News(isCut: isCut || !bytes.isEmpty) }
        var left = lines
        let end = bytes.last == newline ? bytes.count - 1 : bytes.count
        for index in bytes[..<end].indices.reversed() where bytes[index] == newline {
            left -= 1
            if left == 0 {
                return OutputFollower.News(bytes: Array(bytes[(index + 1)...]), isCut: true)
            }
        }
        return self
    }
}

/// Commands that follow changes until interrupted.
extension CommandContext {
    /// Writes each event as it comes; `watch` begins with every queue at a glance.
    func follow(_ following: Following) throws {
        try refuseWaitingOnTape(fix: "log shows what happened")
        if case .alerts(let call) = following { return try followAlerts(call) }
        let wake = try EventSignal()
        let throttle = ReadThrottle(try store())
        let observation = try store().observe(at: throttle) { wake.signal() }
        var isNotified = true
        var last: LogPlace
        var (isClose, filter) = (false, LogFilter())
        switch following {
        case .log(let call):
            isClose = call.isClose
            let (lines, end, wanted) = try read { reading in
                let wanted = try call.filter(in: reading)
                let (lines, end) = try reading.log(
                    wanted, limit: call.limit ?? LogCall.usualLimit, isClose: call.isClose)
                return (try EventLine.all(of: lines, reading), end, wanted)
            }
            (last, filter) = (end, wanted)
            try write(lines)
        case .watch, .alerts:
            let (overviews, inbox, names, now, real, newest) = try read { reading in
                let queues = try reading.queues()
                return (
                    queues, try reading.store.inbox(),
                    try reading.names(of: queues.flatMap(\.pauses).namedTasks), reading.now,
                    reading.real, try reading.log(limit: 0).end
                )
            }
            last = newest
            if !common.isJSON, !common.isQuiet {
                let lines = QueueText.lines(
                    overviews, inbox: inbox, names: names, now: now, real: real,
                    width: host.columns())
                try host.write(SafeText.printed(lines), .output)
            }
        }
        while true {
            if observation.isNotified != isNotified {
                isNotified.toggle()
                try write(isNotified)
            }
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: nil)
            wake.drain()
            try writeNews(after: &last, filter, isClose: isClose, throttle)
        }
    }

    /// Reports on standard error that the system's notices of changes stop or return.
    private func write(_ isNotified: Bool) throws {
        let text = isNotified ? "the store is watched again" : QueueError.notWatched.description
        try host.remark(text)
    }

    /// Writes all that is new, a part at a time, each as the pace allows.
    private func writeNews(
        after last: inout LogPlace, _ filter: LogFilter, isClose: Bool, _ throttle: ReadThrottle
    ) throws {
        let limit = 1000
        while true {
            let place = last
            let (lines, end) = try read { reading in
                let (lines, end) = try reading.log(
                    behind: place, limit: limit, isClose: isClose, withUndo: filter.withUndo)
                let wanted = lines.filter { filter.includes($0.entry) }
                return (try EventLine.all(of: wanted, reading), end)
            }
            last = end
            try write(lines)
            let new = max(end.sequence - place.sequence, end.task - place.task)
            guard new >= limit else { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: throttle.rest())
        }
    }

    private func write(_ lines: [EventLine]) throws {
        guard !lines.isEmpty else { return }
        let text =
            common.isJSON
            ? lines.map { $0.json.text + "\n" }.joined() : SafeText.printed(lines.map(\.line))
        try host.write(text, .output)
    }
}

/// The names of tasks in messages. In a folder these are UUIDs, also for removed tasks (P6).
extension CommandContext {
    /// The names of `tasks` and of the tasks that sentences mention.
    func names(of tasks: [TaskID], in sentences: [String] = []) throws -> TaskNames {
        guard try store().namesTasks else { return TaskNames() }
        let all = tasks + sentences.flatMap(TaskNames.mentioned)
        return try read { try $0.names(of: all) }
    }

    func names(in answer: StepAnswer) throws -> TaskNames {
        let ids = answer.stepped.map(\.id) + answer.blockers.compactMap(\.task)
        return try names(
            of: ids + [answer.next, answer.stop?.task].compactMap { $0 },
            in: answer.stepped.compactMap(\.consequence) + answer.blockers.map(\.text))
    }

    /// The lines of a verb's answer with each task by its name.
    func named(_ lines: [String]) throws -> [String] {
        let names = try names(of: [], in: lines)
        return lines.map(names.text)
    }

    /// An error with each task by its name; as it is where the store cannot say.
    func named(_ error: QueueError) -> QueueError {
        let sentences = [error.message, error.fix]
        guard isOpen, sentences.contains(where: { $0.contains("#") }),
            let names = try? names(of: [], in: sentences)
        else { return error }
        return QueueError(error.code, names.text(error.message), fix: names.text(error.fix))
    }
}
