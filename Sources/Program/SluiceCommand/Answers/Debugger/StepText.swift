import SluiceControl
import SluiceModel

/// The attempts of `step`, `run` and `work`.
enum StepText {
    /// The answer in both forms.
    static func reply(_ answer: StepAnswer, names: TaskNames) -> Reply {
        var reply = Reply(json(answer, names), lines(answer, names))
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
        if let stop = answer.stop { object["breakpoint"] = BreakpointJSON.hit(stop) }
        if let error = answer.refusal { object["error"] = ErrorJSON.value(error) }
        return .object(object)
    }

    /// One execution as JSON.
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
        let sentence = AttemptText(stepped).sentence
        // A foreign system's sentence contains no task numbers of Sluice.
        let told = names.isForeign ? sentence : names.text(sentence)
        return SafeText.visible("\(names.name(stepped.id)) \(stepped.type)  \(told)")
    }

    private static func lines(_ answer: StepAnswer, _ names: TaskNames) -> [String] {
        var lines = answer.stepped.map { line($0, names: names) }
        if answer.stepped.isEmpty, answer.run?.isOpen ?? true {
            lines.append("nothing could start")
        }
        if let run = answer.run, run.attempted > 0 || run.isOpen {
            let word = run.attempted == 1 ? "attempt" : "attempts"
            lines.append(
                "the run \(run.isOpen ? "is open" : "ended") after \(run.attempted) \(word), "
                    + "\(run.left) left waiting")
        }
        if let error = answer.refusal {
            lines.append(SafeText.visible("the rest was not done: \(error.description)"))
        }
        if let stop = answer.stop {
            let done = answer.stepped.count
            let part =
                done > 0 && done < answer.asked ? "stopped after \(done) of \(answer.asked): " : ""
            lines.append(
                SafeText.visible(
                    "\(part)breakpoint \(stop.breakpoint) stopped it \(names.text(stop.place))"))
        }
        if let next = answer.next { lines.append("next: \(names.name(next))") }
        if answer.next == nil || answer.stepped.isEmpty {
            lines += answer.blockers.map { "  \(TaskText.blocker($0, names: names))" }
        }
        return lines
    }
}
