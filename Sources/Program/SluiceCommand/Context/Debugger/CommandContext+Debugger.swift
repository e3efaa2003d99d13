import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes
import SluiceTransfer

/// `break` (G1).
extension CommandContext {
    /// `break list`.
    func breakpoints() throws -> Reply {
        let (breakpoints, stops, names, gone, now) = try read { reading in
            let stops = try reading.stops()
            let names = try reading.names(of: stops.map(\.hit.task))
            let breakpoints = try reading.breakpoints()
            let gone = try breakpoints.filter { breakpoint in
                try breakpoint.filter.queue.map { try reading.store.queue(named: $0) == nil }
                    ?? false
            }
            return (breakpoints, stops, names, Set(gone.map(\.number)), reading.real)
        }
        return Reply(
            .object(BreakpointJSON.object(breakpoints)),
            BreakpointText.lines(
                breakpoints, stops: stops, withoutQueue: gone, names: names, now: now,
                width: host.columns()))
    }
}

/// `checkpoint`, `diff` and `restore` (G5).
extension CommandContext {
    /// `checkpoint list`.
    func checkpoints() throws -> Reply {
        let (checkpoints, now) = try read { (try $0.checkpoints(), $0.real) }
        if try isTape() { return Reply(.object(CheckpointJSON.object([])), [Self.noneOnTape]) }
        return Reply(
            .object(CheckpointJSON.object(checkpoints)),
            CheckpointText.lines(checkpoints, now: now, width: host.columns()))
    }

    /// `diff`.
    func difference(from old: String?, to new: String?) throws -> Reply {
        try refuseCheckpointOfTape()
        let (difference, names) = try read { reading in
            let found = try reading.difference(from: old, to: new)
            let ids = found.tasks.map(\.task.id) + found.effects.map(\.task)
            return (found, try reading.names(of: ids))
        }
        // The console colours its lines itself.
        let isColoured =
            host.columns() != nil && !host.isScreen && host.environment("NO_COLOR") == nil
        var reply = Reply(
            DifferenceJSON.value(difference),
            DifferenceText(names: names, isColoured: isColoured).lines(difference))
        reply.hasColours = isColoured
        reply.difference = difference
        return reply
    }

    /// `restore`: counts the changes, then asks for confirmation.
    func restore(_ call: RestoreCall) throws -> Reply {
        try refuseCheckpointOfTape()
        let (verb, control) = (Verb.restore(call.name), try control())
        if !call.isRehearsal {
            if !call.isConfirmed, host.isConfirmedOnScreen { return Reply(unconfirmed: verb) }
            try reapTheDead()
            guard try call.isConfirmed || isAgreed(verb, control) else {
                return Reply(.null, ["nothing was changed"])
            }
            let answer = try control.performBlocking(verb)
            return restored(answer, isRehearsal: false).of(verb, answer)
        }
        return restored(try control.rehearse(verb), isRehearsal: true)
    }

    private static let noneOnTape = "a tape has no checkpoints"

    private func refuseCheckpointOfTape() throws {
        guard try isTape() else { return }
        throw QueueError.notLegal(
            Self.noneOnTape,
            fix: "look at \(storeName) at two events, with --at EVENT")
    }

    private func isAgreed(_ verb: Verb, _ control: Control) throws -> Bool {
        let answer = try control.rehearse(verb)
        guard let report = answer.restored, report.changed > 0 else { return true }
        guard host.canAsk() else {
            let error = QueueError(
                .noTerminal, "it would change \(report.changed), and there is no terminal to ask",
                fix: "add --yes, or --dry-run to see what")
            throw Failed(error, exit: .usage)
        }
        let lines =
            answer.consequences.map { "  \($0)" }
            + AttemptRecord.effectLines(report.effects)
        return try isAgreed(["this would be done:"] + lines)
    }

    /// As of a restore, with what others did since that stays.
    func steppedBack(_ answer: Answer) throws -> Reply {
        var reply = restored(answer, isRehearsal: false)
        guard case .object(var object) = reply.json else { return reply }
        let step = answer.restored?.name ?? ""
        object["restored"] = .string(try names(of: [], in: [step]).text(step))
        if !answer.failed.isEmpty || !answer.consequences.isEmpty {
            let changes = AnswerJSON.changes(answer)
            for name in ["failed", "consequences"] { object[name] = changes[name] }
        }
        reply.json = .object(object)
        return reply
    }

    func restored(_ answer: Answer, isRehearsal: Bool) -> Reply {
        var answer = answer
        let report = answer.restored ?? RestoreReport(name: "", changed: 0, effects: [])
        if isRehearsal {
            answer.undo = nil
            answer.summary =
                report.changed == 0
                ? answer.summary : "restore \(report.name) would change \(report.changed)"
        }
        answer.consequences += AttemptRecord.effectLines(report.effects)
        var reply = AnswerText.reply(answer)
        if isRehearsal { reply.lines.append("nothing was changed") }
        reply.isConfirmation = !isRehearsal && report.effects.isEmpty
        var object: JSONObject = [
            "restored": .string(report.name), "changed": JSONValue(report.changed),
            "effects": DifferenceJSON.effects(report.effects), "undo": JSONValue(answer.undo),
        ]
        if isRehearsal { object["dryRun"] = true }
        reply.json = .object(object)
        return reply
    }
}

/// `clock` (G3).
extension CommandContext {
    /// `clock` without a word.
    func clock() throws -> Reply {
        let (facts, names) = try read { reading in
            let facts = try reading.clock()
            return (facts, try reading.names(of: [facts.next?.task].compactMap { $0 }))
        }
        return Reply(
            .object(["clock": ClockJSON.value(facts)]), ClockLines.lines(facts, names: names))
    }
}

/// `expect` (G7).
extension CommandContext {
    func expect(_ call: ExpectCall) throws -> Reply { try expect(call) { $0.blockers } }

    /// The same; `blockers` gives why a task in the way does not run.
    func expect(
        _ call: ExpectCall, blockers: (TaskLine) throws -> [Blocker]
    ) throws -> Reply {
        let name = call.name ?? call.request.expectation.text
        if call.request.withinMilliseconds != nil {
            try refuseWaitingOnTape(fix: "leave --within away")
        }
        // Check the JUnit file first, so that an error appears before any wait.
        if let path = call.junit { try JUnitFile(path).check() }
        do {
            var answer = try control().expectBlocking(call.request)
            for place in answer.why.indices {
                answer.why[place].blockers = try blockers(answer.why[place])
            }
            let named = answer.why.namedTasks
            let names = try read { try $0.names(of: named) }
            let reply = ExpectText.reply(answer, names: names)
            if let path = call.junit {
                var one = JUnitCase(name: name, milliseconds: answer.milliseconds)
                if !answer.held {
                    one.failure = "expected \(answer.expected), but \(answer.actual)"
                    one.lines = reply.lines
                }
                try JUnitFile(path).add(one)
            }
            return reply
        } catch let error as QueueError {
            guard let path = call.junit, error.code != .denied else { throw error }
            try JUnitFile(path).add(JUnitCase(name: name, error: error.description))
            throw error
        }
    }
}

/// `fault` (G2).
extension CommandContext {
    /// `fault list`.
    func faults() throws -> Reply {
        let (faults, now) = try read { (try $0.faults(), $0.real) }
        return Reply(
            .object(FaultJSON.object(faults)),
            FaultText.lines(faults, now: now, width: host.columns()))
    }
}

/// `record` (G6).
extension CommandContext {
    /// Records until TERM, INT or the end of `--for`, then reports the tape's contents.
    func record(_ call: RecordCall) throws -> Reply {
        let store = try store()
        guard !store.isReadOnly else {
            throw QueueError(
                .readOnly, "record leaves a mark in the store while it records",
                fix: "leave --read-only out")
        }
        var request = call.request
        if !request.endsOlder, host.canAsk(), let ended = try ends(.recording) {
            guard try isAgreed([ended]) else { return AnswerText.reply(notConfirmed) }
            request.endsOlder = true
        }
        let stop = try EventSignal()
        let signals = try SignalWatch { _ in
            stop.signal()
            return true
        }
        defer { signals.end() }
        let began = host.now()
        let recorder = try TapeRecorder(
            store, request, person: person, now: host.now, chance: host.chance())
        if !common.isQuiet, !common.isJSON {
            let time = call.forMilliseconds.map { "for \(DurationText.compact($0)) or " } ?? ""
            try host.remark("recording into \(request.path), \(time)until ^C")
        }
        let report = try recorder.run(
            stop: stop, until: call.forMilliseconds.map { began + $0 })
        return reply(report, request)
    }

    private func reply(_ report: TapeRecorder.Report, _ request: TapeRecorder.Request) -> Reply {
        var redactions = JSONObject()
        for (name, count) in zip(request.redactedNames, report.redactions) {
            redactions[name] = .integer(Int64(count))
        }
        var object = JSONObject()
        object["file"] = .string(request.path)
        object["events"] = .integer(Int64(report.events))
        object["redactions"] = .object(redactions)
        object["ended"] = JSONValue(report.loss)
        var reply = Reply(.object(object), report.lines(request))
        reply.isConfirmation = report.isWhole
        if !report.isWhole { reply.exit = .partlyDone }
        return reply
    }
}

/// `replay` (G6).
extension CommandContext {
    func replay(_ call: ReplayCall) throws -> Reply {
        let file = try TapeFile(call.path)
        try file.check(call.event)
        if let target = call.target { return try put(file, at: call.event ?? 0, into: target) }
        var changes: [String: TapeReplay.Change] = [:]
        for (name, settings) in Dictionary(grouping: call.settings, by: \.queue) {
            changes[name] = { queue in
                for setting in settings { try queue.settings.apply(setting.change) }
            }
        }
        var replay = TapeReplay(file, upTo: call.event, changes: changes)
        let isTest = call.settings.isEmpty
        let report = try replay.run(stopsAtFirst: isTest)
        try ReplayText.check(report, file)
        return ReplayText.reply(report, file, isTest: isTest)
    }

    /// Exports a moment of a tape to a new store. Tasks keep their numbers, since recorded outcomes
    /// refer to them (G4).
    private func put(_ file: TapeFile, at event: Int, into target: String) throws -> Reply {
        let view = try TapePlayer.view(of: file, at: event)
        let source = StoreSource(view.store, format: .sqlite, now: view.at)
        let sink = try SQLiteSink(
            path: target, source: file.path, person: person, keepsNumbers: true, now: host.now)
        let following = try host.follow(common.isQuiet)
        defer { following.end() }
        let report = try TransferExport(from: source, to: sink).run(watching: following.watch)
        return ExportText.reply(report, ExportCall(target: target, format: .sqlite))
    }
}
