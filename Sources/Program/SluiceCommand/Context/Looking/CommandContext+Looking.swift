import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTerminalUI

/// Read-only commands.
extension CommandContext {
    func answer(_ query: CommandQuery) throws -> Reply {
        switch query {
        case .queues: try queues()
        case .charts(let call): try charts(call)
        case .list(let call): try list(call)
        case .show(let reference): try show(reference)
        case .why(let reference): try why(reference)
        case .forecast(let queue, let limit): try forecast(queue, limit: limit)
        case .groups(let queue): try groups(queue)
        case .failures(let queue, let isRetrying, let explained):
            if let explained {
                try explain(explained, queue)
            } else {
                try isRetrying ? retrying(queue) : failures(queue)
            }
        case .flow(let call): try flow(call)
        case .timeline(let call): try timeline(call)
        case .results(let session): try results(session)
        case .timers: try timers()
        case .breakpoints: try breakpoints()
        case .faults: try faults()
        case .clock: try clock()
        case .checkpoints: try checkpoints()
        case .difference(let old, let new): try difference(from: old, to: new)
        case .schedules: try schedules()
        case .log(let call): try log(call)
        case .appLog(let source, let tasks): try appLog(source, of: tasks)
        case .logs(let call): try logs(call)
        case .runners: try runners()
        case .stats: try stats()
        case .metrics: try metrics()
        case .network: try network()
        }
    }

    private func queues() throws -> Reply {
        guard !common.isJSON else { return Reply(parts: try queueParts()) }
        let (overviews, inbox, names, now, real) = try read { reading in
            let queues = try reading.queues()
            let names = try reading.names(of: queues.flatMap(\.pauses).namedTasks)
            return (queues, try reading.store.inbox(), names, reading.now, reading.real)
        }
        return Reply(
            .null,
            QueueText.lines(
                overviews, inbox: inbox, names: names, now: now, real: real,
                width: host.columns()))
    }

    /// The JSON of `queues`, a page of queues in each part: a store may have 100,000 queues, and
    /// their text is a tenth of their values.
    private func queueParts() throws -> [String] {
        try read { reading in
            var parts = [#"{"queues":["#]
            try reading.visitQueues(pageSize: 1000) { page in
                let names = try reading.names(of: page.flatMap(\.pauses).namedTasks)
                let list = JSONValue.array(page.map { QueueJSON.value($0, names) }).text
                parts.append((parts.count > 1 ? "," : "") + list.dropFirst().dropLast())
            }
            let inbox = InboxJSON.value(try reading.store.inbox()).text
            return parts + [#"],"inbox":\#(inbox)}"# + "\n"]
        }
    }

    private func list(_ call: ListCall) throws -> Reply {
        let withBlockers =
            call.fields.isEmpty ? common.isJSON : call.fields.contains(.named("blockers"))
        let page = try read { try ListPage(call, withBlockers: withBlockers, reading: $0) }
        return Reply(page.json, page.lines(host.columns()))
    }

    private func show(_ reference: TaskReference) throws -> Reply {
        let (detail, names, now, real) = try read { reading in
            let detail = try reading.detail(try reading.store.resolve(reference))
            let named = [detail.line].namedTasks + detail.followUps + detail.twins
            let all = named + [detail.line.task.parent].compactMap { $0 }
            return (detail, try reading.names(of: all), reading.now, reading.real)
        }
        let lines = TaskText.detail(
            detail, names: names, now: now, real: real, width: host.columns())
        return Reply(.object(TaskJSON.detail(detail)), lines)
    }

    private func why(_ reference: TaskReference) throws -> Reply {
        let (chain, names, fault, facts) = try read { reading in
            let id = try reading.store.resolve(reference)
            let chain = try reading.why(id)
            let attempts = try reading.store.writtenAttempts(of: id)
            let inApp = attempts.isEmpty ? chain.first?.attemptsInApp : nil
            let expires = chain.first?.expiresAtAppStart(real: reading.real) ?? false
            return (
                chain, try reading.names(of: chain.namedTasks),
                try reading.faultsAhead(of: [try reading.store.requireTask(id)])[id],
                [attempts.cutOffSentence, inApp, expires ? "it \(ExpiringTasks.rowWords)" : nil]
                    .compactMap(\.self) + (try reading.faultSentences(of: id))
            )
        }
        guard let first = chain.first else { return Reply(.object([:]), []) }
        var json: JSONObject = [
            "id": .integer(first.task.id),
            "runnable": .bool(first.task.waiting != nil && first.blockers.isEmpty),
            "blockers": BlockerJSON.array(first.blockers),
        ]
        if let fault { json["fault"] = .integer(fault) }
        if let made = first.task.scheduled { json["schedule"] = ScheduleJSON.value(made) }
        return Reply(.object(json), TaskText.why(chain, facts: facts, names: names))
    }

    private func forecast(_ queue: String, limit: Int) throws -> Reply {
        let (forecast, arrivals, names, now) = try read { reading in
            let forecast = try reading.forecast(queue: queue, limit: limit)
            return (
                forecast, try reading.arrivals(in: queue, beside: forecast),
                try reading.names(of: forecast.lines.map(\.id)), reading.now
            )
        }
        let starts: [JSONValue] = forecast.lines.map { line in
            var start: JSONObject = [
                "id": .integer(line.id), "at": JSONValue(line.at),
                "holdsBack": JSONValue(line.holdsBack),
            ]
            if let task = line.behind { start["behind"] = .integer(task) }
            if let number = line.breakpoint { start["breakpoint"] = .integer(number) }
            if let number = line.fault { start["fault"] = .integer(number) }
            return .object(start)
        }
        let json: JSONValue = [
            "queue": .string(queue), "starts": .array(starts), "more": .bool(forecast.more),
            "schedules": .array(arrivals.map(ScheduleJSON.value)),
        ]
        let lines = QueueText.forecast(
            forecast.lines, more: forecast.more, names: names, now: now, width: host.columns())
        return Reply(json, lines + arrivals.map { ScheduleText.line($0, now: now) })
    }

    private func groups(_ queue: String) throws -> Reply {
        let (groups, names) = try read { reading in
            _ = try reading.store.requireQueue(queue)
            let groups = try reading.store.groups(queue: queue, after: nil, limit: 10_000)
            return (groups, try reading.names(of: groups.flatMap(\.starts)))
        }
        let json: JSONValue = ["groups": .array(groups.map(GroupJSON.value))]
        return Reply(json, QueueText.groups(groups, names: names, width: host.columns()))
    }

    private func failures(_ queue: String?) throws -> Reply {
        let (failures, retrying, hour, now) = try read { reading in
            if let queue { _ = try reading.store.requireQueue(queue) }
            return (
                try reading.failing(of: queue), try reading.retryingFailures(of: queue),
                try reading.lastHour(of: queue), reading.real
            )
        }
        let rows = FailureText.rows(failures.groups, now: now, width: host.columns())
        // Failures followed by a success leave no row; report their number.
        let passing =
            failures.groups.allSatisfy(\.isRetrying)
            ? FailureText.passing(hour, in: queue, now: now) : []
        let none = [FailureText.none("has failed permanently", in: queue)]
        return Reply(
            FailureText.json(failures.groups, isCut: failures.isCut),
            (rows.isEmpty ? none : rows) + passing
                + FailureText.retrying(retrying, in: queue))
    }

    /// The common traits of one failure group.
    private func explain(_ key: String, _ queue: String?) throws -> Reply {
        let found = try read { reading in
            if let queue { _ = try reading.store.requireQueue(queue) }
            let group = try reading.failingGroup(named: key, of: queue)
            return try group.map { ($0, try reading.traits(of: $0, in: queue)) }
        }
        guard let (group, traits) = found else {
            throw QueueError.badValue(
                "--explain", key, allowed: "the key of an error that sluice failures --json has")
        }
        return Reply(FailureText.json(group, traits), FailureText.lines(group, traits))
    }

    private func retrying(_ queue: String?) throws -> Reply {
        let (failures, isCut, now) = try read { reading in
            let (groups, isCut) = try reading.retryingFailures(of: queue)
            return (groups, isCut, reading.real)
        }
        let rows = FailureText.rows(failures, now: now, width: host.columns())
        let none = FailureText.none("waits for a retry after an error", in: queue)
        let limit = NumberText.grouped(Reading.retryingLimit)
        return Reply(
            FailureText.json(failures, isCut: isCut),
            (rows.isEmpty ? [none] : rows) + (isCut ? ["the first \(limit) alone"] : []))
    }

    private func results(_ session: String) throws -> Reply {
        let (results, names, now) = try read { reading in
            let results = try reading.results(session: session)
            let ids = results.flatMap { [$0.task.id] + $0.blockers.compactMap(\.task) }
            return (results, try reading.names(of: ids), reading.real)
        }
        let json: JSONValue = [
            "session": .string(session), "results": .array(results.map(ResultJSON.value)),
        ]
        return Reply(
            json,
            ResultText.lines(
                results, session: session, names: names, now: now, width: host.columns()))
    }

    private func timers() throws -> Reply {
        let (timers, names, now) = try read { reading in
            let timers = try reading.timers(limit: 1000)
            return (timers, try reading.names(of: timers.compactMap(\.id)), reading.now)
        }
        let json: JSONValue = ["timers": .array(timers.map(TimerJSON.value))]
        return Reply(
            json,
            QueueText.timers(
                timers, names: names, now: now, width: host.columns()))
    }

    private func log(_ call: LogCall) throws -> Reply {
        if call.isScript {
            _ = try store()
            guard tapeMoment == nil else {
                throw QueueError.notLegal(
                    "\(storeName) is a tape, which has no lines for --script",
                    fix: "log without it shows what happened")
            }
            let commands = try read { try $0.commandEvents(try call.filter(in: $0)) }
            let lines = ScriptText.lines(
                Array(commands.suffix(call.limit ?? .max)), of: shownName)
            let text = lines.joined(separator: "\n") + "\n"
            return Reply(["script": .string(text)], lines)
        }
        let (events, isFiltered) = try read { reading in
            let filter = try call.filter(in: reading)
            let (lines, _) = try reading.log(
                filter, limit: call.limit ?? LogCall.usualLimit, isClose: call.isClose)
            return (try EventLine.all(of: lines, reading), !filter.isEmpty)
        }
        if events.isEmpty, isFiltered, !common.isQuiet {
            try host.remark("no line of the log matches")
        }
        return Reply(["events": .array(events.map(\.json))], events.map(\.line))
    }
}

extension LogCall {
    /// The lines that are wanted. Throws `unknownQueue`; a task may have gone by now.
    func filter(in reading: Reading) throws -> LogFilter {
        var filter = filter
        if let queue = filter.queue { filter.queue = try reading.store.requireQueue(queue).name }
        filter.tasks = Set(try tasks.map { try reading.store.number(of: $0) })
        filter.since = since?.time(at: reading.real)
        return filter
    }
}

extension CommandContext {
    /// The ends and durations of each queue: view 7, printed once.
    func charts(_ call: ChartCall) throws -> Reply {
        let scene = try read { reading in
            if let queue = call.queue { _ = try reading.store.requireQueue(queue) }
            let request = ChartPicture.request(queues: try reading.store.countQueues())
            return try SceneLoader(reading).load(request)
        }
        let span = call.isQuarter ? PulseSpan.quarter : .hour
        guard !common.isJSON else {
            return Reply(ChartJSON(scene: scene, span: span, queue: call.queue).value, [])
        }
        guard scene.queueCount > 0 else { return Reply(.null, ["no queues"]) }
        var picture = ChartPicture()
        picture.span = span
        picture.queue = call.queue
        picture.width = host.columns() ?? 100
        picture.glyphs = host.glyphs(isASCII: call.isASCII)
        picture.zone = ZoneFiles.ofMachine(at: scene.at)
        return Reply(.null, picture.lines(scene))
    }
}

extension CommandContext {
    /// The arrivals, waiting tasks and ends of each queue: view 9, printed once.
    func flow(_ call: FlowCall) throws -> Reply {
        let scene = try read { reading in
            let request = FlowPicture.request(queues: try reading.store.countQueues())
            return try SceneLoader(reading).load(request)
        }
        guard !common.isJSON else {
            return Reply(FlowJSON(scene: scene, isHour: call.isHour).value, [])
        }
        guard scene.queueCount > 0 else { return Reply(.null, ["no queues"]) }
        var picture = FlowPicture()
        picture.span = call.isHour ? .hour : .twoMinutes
        picture.width = host.columns() ?? 100
        picture.glyphs = host.glyphs(isASCII: call.isASCII)
        picture.zone = ZoneFiles.ofMachine(at: scene.at)
        return Reply(.null, picture.lines(scene))
    }
}

extension CommandContext {
    /// When tasks waited and ran: the page of `W`, printed once.
    func timeline(_ call: TimelineCall) throws -> Reply {
        let (timeline, names) = try read { reading in
            let timeline = try reading.taskTimeline(try call.scope(reading))
            return (timeline, try reading.names(of: timeline.rows.map(\.task)))
        }
        guard !common.isJSON else { return Reply(TimelineJSON(timeline: timeline).value, []) }
        var picture = TimelinePicture()
        picture.width = call.width ?? host.columns() ?? 100
        picture.glyphs = host.glyphs(isASCII: call.isASCII)
        picture.names = names
        picture.zone = ZoneFiles.ofMachine(at: timeline.at)
        return Reply(.null, picture.lines(timeline))
    }
}

/// `sluice` without a verb.
extension CommandContext {
    /// Opens the console; without a terminal it says which commands do the same (K12).
    func openConsole(_ start: ConsoleStart) throws -> ExitCode {
        try host.requireScreen(
            for: "the console", fix: "use sluice list, sluice queues or sluice watch")
        // Report errors in personal files before the store or the screen opens.
        let own = try PersonalSettings(start, host.environment)
        _ = try handlers(start.handlers)
        do {
            try openScreen(start, own)
        } catch var failed as Failed where failed.error.code == .noStore {
            failed.error.fix += "; sluice demo shows a living one"
            throw failed
        }
        return .done
    }

}

extension Host {
    /// Throws `noTerminal` if no screen is available. Call it before creating or sending anything.
    func requireScreen(for what: String, fix: String) throws(QueueError) {
        guard isTerminal() else {
            throw QueueError(.noTerminal, "\(what) needs a terminal", fix: fix)
        }
        guard environment("TERM") != "dumb" else {
            throw QueueError(
                .noTerminal, "\(what) needs a terminal that can move its cursor, and TERM is dumb",
                fix: fix)
        }
    }
}
