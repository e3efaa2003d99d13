import SluiceModel
import SluiceStore

/// A question to the rules, as JSON.
extension TapeDecision: StoredObject {
    func put(in fields: inout StoredFields) {
        switch question {
        case .claim(let request, let gave):
            fields.put("claim", request)
            fields.put("gave", gave)
        case .settle(let completions):
            fields.put("settle", completions)
        }
        fields.put("first", span.lowerBound)
        fields.put("end", span.upperBound)
    }

    init(fields: StoredFields) throws(QueueError) {
        let first: Int = try fields.required("first")
        let end: Int = try fields.required("end")
        guard 0 <= first, first <= end else { throw StoredFields.damage("a span of changes") }
        let question: Question
        if let claim = fields.object["claim"] {
            question = .claim(
                try ClaimRequest(stored: claim),
                gave: try fields.optional("gave", StoredFields.numbers) ?? [])
        } else {
            question = .settle(try fields.list("settle"))
        }
        self.init(question, span: first..<end)
    }
}

extension ClaimRequest: StoredRecord {
    static var blank: Self { Self(runner: 0, freeSlots: 0, inFlight: 0) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("runner", &runner)
        fields.pass("free", &freeSlots)
        fields.pass("inHand", &inFlight)
        fields.pass("isAlone", &isAlone)
        var served = turn.served
        fields.pass("turn", each: &served)
        turn = RoundRobin(served)
        fields.pass("isOffering", &isOffering)
        fields.pass(
            "begun", &begun,
            { $0.isEmpty ? nil : .array($0.sorted().map(JSONValue.integer)) },
            { value throws(QueueError) in Set(try StoredFields.numbers(value)) })
    }
}

extension Completion: StoredObject {
    func put(in fields: inout StoredFields) {
        fields.put("task", task)
        fields.put("token", token)
        fields.put("ending", ending)
        if let result { fields.put("result", bytes: result) }
        fields.put("followUps", followUps.isEmpty ? nil : followUps.count)
        fields.put("progress", progress)
        fields.put("chance", chance)
    }

    /// Restores follow-ups as empty ones of the same number: the tape contains their tasks.
    init(fields: StoredFields) throws(QueueError) {
        let ending: Ending = try fields.required("ending", missing: "an ending is missing")
        self.init(
            task: try fields.required("task"), token: try fields.required("token"), ending: ending)
        result = try fields.bytes("result")
        let count: Int = try fields.optional("followUps") ?? 0
        let none = FollowUp(queue: "", task: EnqueueRequest(type: "", payload: []))
        followUps = Array(repeating: none, count: max(0, min(count, 1 << 20)))
        progress = try fields.optional("progress")
        chance = try fields.required("chance")
    }
}

extension AttemptProgress: StoredRecord {
    static var blank: Self { Self() }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("fraction", &fraction)
        fields.pass("text", &text)
        fields.pass("log", each: &log)
        fields.pass("childPID", &childPID)
        fields.pass("childStart", &childStartTime)
    }
}

extension Ending: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .handler(let outcome, let restarts):
            fields.put("handler", outcome)
            fields.put("restarts", flag: restarts)
        case .stopped(let cause): fields.put("stopped", cause)
        case .timedOutToRestart: fields.put("timedOutToRestart", flag: true)
        case .abandoned(let cause): fields.put("abandoned", cause)
        case .lost: fields.put("lost", flag: true)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let outcome: HandlerOutcome = try fields.optional("handler") {
            self = .handler(outcome, restarts: fields.flag("restarts"))
        } else if let cause: StopCause = try fields.optional("stopped") {
            self = .stopped(cause)
        } else if let cause: StopCause = try fields.optional("abandoned") {
            self = .abandoned(cause)
        } else {
            self = fields.flag("lost") ? .lost : .timedOutToRestart
        }
    }
}

extension HandlerOutcome: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .success(let result):
            fields.put("outcome", "success")
            if let result { fields.put("result", bytes: result) }
        case .retry(let after, _):
            fields.put("outcome", "retry")
            fields.put("after", after)
        case .park: fields.put("outcome", "park")
        case .giveUp: fields.put("outcome", "giveUp")
        case .pauseQueue(let milliseconds, let isCounted, _):
            fields.put("outcome", "pauseQueue")
            fields.put("after", milliseconds)
            fields.put("isCounted", flag: isCounted)
        case .offline: fields.put("outcome", "offline")
        }
        fields.put("error", error)
    }

    init(fields: StoredFields) throws(QueueError) {
        let error: String? = try fields.optional("error")
        switch try fields.required("outcome") as String {
        case "success": self = .success(result: try fields.bytes("result"))
        case "retry":
            self = .retry(afterMilliseconds: try fields.optional("after"), error: error)
        case "park": self = .park(error: error)
        case "giveUp": self = .giveUp(error: error)
        case "pauseQueue":
            self = .pauseQueue(
                milliseconds: try fields.required("after"), isCounted: fields.flag("isCounted"),
                error: error)
        case "offline": self = .offline(error: error)
        case let word: throw StoredFields.damage("an outcome \(word)")
        }
    }
}
