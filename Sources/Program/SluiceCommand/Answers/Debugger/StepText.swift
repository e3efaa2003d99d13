import SluiceControl
import SluiceModel

/// The attempts of `step`, `run` and `work`.
enum StepText {
    static func reply(_ answer: StepAnswer, names: TaskNames, width: Int? = nil) -> Reply {
        var reply = Reply(json(answer, names), lines(answer, names, width: width))
        reply.isConfirmation =
            !answer.stepped.isEmpty && answer.stop == nil && answer.refusal == nil
            && answer.stepped.allSatisfy(\.isSuccess)
        return reply
    }

    /// The exit code of a step; `isChecked` says that an execution without success is a failure.
    static func exit(_ answer: StepAnswer, isChecked: Bool) -> ExitCode {
        if answer.stepped.isEmpty { return .refused }
        if answer.refusal != nil { return .partlyDone }
        return isChecked && answer.stepped.contains(where: \.isFailure) ? .refused : .done
    }

    /// `error` exists only if later steps of several were refused.
    private static func json(_ answer: StepAnswer, _ names: TaskNames) -> JSONValue {
        var object: JSONObject = [
            "stepped": .array(answer.stepped.map { value($0, names) }),
            "next": answer.next.map(names.json) ?? .null,
            "blockers": BlockerJSON.array(answer.blockers),
            "run": answer.run.map { run in
                [
                    "state": run.isOpen ? "open" : "ended",
                    "attempted": JSONValue(run.attempted),
                    "left": JSONValue(run.left),
                ]
            } ?? .null,
        ]
        if let table = answer.table { add(table, to: &object, names) }
        if let stop = answer.stop { object["breakpoint"] = BreakpointJSON.hit(stop) }
        if let error = answer.refusal { object["error"] = ErrorJSON.value(error) }
        return .object(object)
    }

    /// The waits of a run's tasks, and its cost.
    private static func add(_ table: RunTable, to object: inout JSONObject, _ names: TaskNames) {
        object["tasks"] = .array(
            table.rows.map { row -> JSONValue in
                [
                    "id": names.json(row.task), "type": .string(row.type),
                    "required": .bool(row.isRequired),
                    "milliseconds": .integer(row.milliseconds),
                    "waitedMilliseconds": .integer(row.wait.turn),
                    "heldMilliseconds": .integer(row.wait.held),
                    "timedMilliseconds": .integer(row.wait.timed),
                    "waitedFor": .array(
                        row.wait.earlier.map { earlier -> JSONValue in
                            [
                                "id": names.json(earlier.task),
                                "milliseconds": .integer(earlier.milliseconds),
                            ]
                        }),
                ]
            })
        object["moreTasks"] = .bool(table.isCut)
        object["milliseconds"] = .integer(table.milliseconds)
        object["requiredMilliseconds"] = JSONValue(table.requiredMilliseconds)
        object["criticalPath"] = .array(table.path.map { names.json($0.task) })
    }

    static func value(_ stepped: Stepped, _ names: TaskNames = TaskNames()) -> JSONValue {
        var object: JSONObject = [
            "id": names.json(stepped.id),
            "type": .string(stepped.type),
            "outcome": JSONValue(stepped.outcome?.rawValue),
            "error": JSONValue(stepped.error),
            "milliseconds": .integer(stepped.milliseconds),
        ]
        if names.isForeign { object["note"] = JSONValue(stepped.remark) }
        return .object(object)
    }

    /// One execution for people.
    static func line(_ stepped: Stepped, names: TaskNames) -> String {
        let told = names.text(AttemptText(stepped).sentence)
        return SafeText.visible("\(names.name(stepped.id)) \(stepped.type)  \(told)")
    }

    private typealias TableLine = (place: Int, stepped: Stepped)

    /// The attempts of a run as a table: each task's waits are in the line of its last attempt.
    private static func rows(
        of table: RunTable, _ stepped: [Stepped], names: TaskNames, width: Int?
    ) -> [String] {
        var last: [TaskID: Int] = [:]
        for (place, one) in stepped.enumerated() { last[one.id] = place }
        let row = { (line: TableLine) -> RunTable.Row? in
            last[line.stepped.id] == line.place ? table[line.stepped.id] : nil
        }
        var columns: [TextTable<TableLine>.Column] = [
            .words("TASK") { names.name($0.stepped.id) },
            .words("TYPE") { $0.stepped.type },
            .words("END", limit: 80) { names.text(AttemptText($0.stepped).sentence) },
        ]
        if table.rows.contains(where: \.isRequired) {
            columns.append(.words("") { row($0)?.isRequired ?? false ? "required" : "" })
        }
        columns.append(
            .numbers("WAITED") { row($0).map { DurationText.taken($0.wait.whole) } ?? "" })
        columns.append(.words("FOR") { row($0).map { waited($0.wait, names) } ?? "" })
        let lines: [TableLine] = stepped.enumerated().map { ($0.offset, $0.element) }
        return TextTable(columns).lines(lines, width)
    }

    /// `#2 login 1.2s, a start 40ms, a time 3s`.
    private static func waited(_ wait: TaskTimeline.Wait, _ names: TaskNames) -> String {
        let named = wait.earlier.prefix(3).map { earlier in
            "\(names.name(earlier.task)) \(earlier.type) "
                + DurationText.taken(earlier.milliseconds)
        }
        let rest = wait.earlier.count > 3 ? ["\(wait.earlier.count - 3) more"] : []
        let held = wait.held > 0 ? ["a start or a person \(DurationText.taken(wait.held))"] : []
        let timed = wait.timed > 0 ? ["its time \(DurationText.taken(wait.timed))"] : []
        return (named + rest + held + timed).joined(separator: ", ")
    }

    /// `it took 2.1s; the last required task ended after 1.4s; it was decided by #1 #3`.
    private static func cost(_ table: RunTable, _ names: TaskNames) -> String {
        var parts = ["it took \(DurationText.taken(table.milliseconds))"]
        if let required = table.requiredMilliseconds {
            parts.append("the last required task ended after \(DurationText.taken(required))")
        }
        if table.path.count > 1 {
            let first = table.path.prefix(8).map { "\(names.name($0.task)) \($0.type)" }
            let more = table.path.count > 8 ? " and \(table.path.count - 8) more" : ""
            parts.append("its length is that of \(first.joined(separator: ", "))\(more)")
        }
        if table.isCut { parts.append("the waits are those of \(table.rows.count) tasks") }
        return SafeText.visible(parts.joined(separator: "; "))
    }

    private static func lines(
        _ answer: StepAnswer, _ names: TaskNames, width: Int?
    ) -> [String] {
        var lines =
            answer.table.map { rows(of: $0, answer.stepped, names: names, width: width) }
            ?? answer.stepped.map { line($0, names: names) }
        if answer.stepped.isEmpty, answer.run?.isOpen ?? true {
            lines.append("nothing could start")
        }
        if let run = answer.run, run.attempted > 0 || run.isOpen {
            let word = run.attempted == 1 ? "attempt" : "attempts"
            lines.append(
                "the run \(run.isOpen ? "is open" : "ended") after \(run.attempted) \(word), "
                    + "\(run.left) left waiting")
        }
        if let table = answer.table { lines.append(cost(table, names)) }
        if let error = answer.refusal {
            lines.append(SafeText.visible("the rest was not done: \(error.description)"))
        }
        if let stop = answer.stop {
            let done = answer.stepped.count
            let part =
                done > 0 && done < answer.asked ? "stopped after \(done) of \(answer.asked): " : ""
            lines.append(
                SafeText.visible(
                    "\(part)\(stop.name) stopped it\(stop.note == nil ? "" : ":") "
                        + "\(names.text(stop.place))"))
        }
        if let next = answer.next { lines.append("next: \(names.name(next))") }
        if answer.next == nil || answer.stepped.isEmpty {
            lines += answer.blockers.map { "  \(TaskText.blocker($0, names: names))" }
        }
        return lines
    }
}
