import SluiceModel
import SluiceStore

/// What the rules were asked, as JSON.
extension TapeDecision {
    var stored: JSONValue {
        var fields = StoredFields()
        switch question {
        case .claim(let request, let gave):
            fields.put("claim", request.stored)
            fields.put("gave", .array(gave.map(JSONValue.integer)))
        case .settle(let completions):
            fields.put("settle", .array(completions.map(\.stored)))
        }
        fields.put("first", span.lowerBound)
        fields.put("end", span.upperBound)
        return fields.value
    }

    init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let (first, end) = (try fields.int("first"), try fields.int("end"))
        guard 0 <= first, first <= end else { throw StoredFields.damage("a span of changes") }
        let question: Question
        if let claim = fields.object["claim"] {
            question = .claim(
                try ClaimRequest(stored: claim),
                gave: try fields.optional("gave", StoredFields.numbers) ?? [])
        } else {
            question = .settle(try fields.list("settle", Completion.init(stored:)))
        }
        self.init(question, span: first..<end)
    }
}

extension ClaimRequest {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("runner", runner)
        fields.put("free", freeSlots)
        fields.put("inHand", inHand)
        fields.put("isAlone", flag: isAlone)
        if !turn.served.isEmpty { fields.put("turn", JSONValue(turn.served)) }
        fields.put("isOffering", flag: isOffering)
        if !begun.isEmpty { fields.put("begun", .array(begun.sorted().map(JSONValue.integer))) }
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init(
            runner: try fields.integer("runner"), freeSlots: try fields.int("free"),
            inHand: try fields.int("inHand"))
        isAlone = fields.flag("isAlone")
        turn = RoundRobin(try fields.optionalTexts("turn") ?? [])
        isOffering = fields.flag("isOffering")
        begun = Set(try fields.optional("begun", StoredFields.numbers) ?? [])
    }
}

extension Completion {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("task", task)
        fields.put("token", token)
        fields.put("ending", ending.stored)
        if let result { fields.put("result", bytes: result) }
        fields.put("followUps", followUps.isEmpty ? nil : followUps.count)
        fields.put("progress", progress?.stored)
        fields.put("chance", chance)
        return fields.value
    }

    /// Follow-ups come back as many that ask for nothing: what they brought is on the tape.
    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let ending = try fields.optional("ending", Ending.init(stored:))
        guard let ending else { throw StoredFields.damage("an ending is missing") }
        self.init(
            task: try fields.integer("task"), token: try fields.integer("token"), ending: ending)
        result = try fields.bytes("result")
        let count = try fields.optionalInt("followUps") ?? 0
        let none = FollowUp(queue: "", task: EnqueueRequest(type: "", payload: []))
        followUps = Array(repeating: none, count: max(0, min(count, 1 << 20)))
        progress = try fields.optional("progress", AttemptProgress.init(stored:))
        chance = try fields.double("chance")
    }
}

extension AttemptProgress {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        fields.put("fraction", fraction)
        fields.put("text", text)
        if !log.isEmpty { fields.put("log", JSONValue(log)) }
        fields.put("childPID", childPID)
        fields.put("childStart", childStartTime.map { Int64(bitPattern: $0) })
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        self.init()
        if fields.object["fraction"] != nil { fraction = try fields.double("fraction") }
        text = try fields.optionalText("text")
        log = try fields.optionalTexts("log") ?? []
        childPID = try fields.optionalInteger("childPID")
        childStartTime = try fields.optionalInteger("childStart").map { UInt64(bitPattern: $0) }
    }
}

extension Ending {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
        switch self {
        case .handler(let outcome, let restarts):
            fields.put("handler", outcome.stored)
            fields.put("restarts", flag: restarts)
        case .stopped(let cause): fields.put("stopped", cause)
        case .timedOutToRestart: fields.put("timedOutToRestart", flag: true)
        case .abandoned(let cause): fields.put("abandoned", cause)
        case .lost: fields.put("lost", flag: true)
        }
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        if let outcome = try fields.optional("handler", HandlerOutcome.init(stored:)) {
            self = .handler(outcome, restarts: fields.flag("restarts"))
        } else if let cause = try fields.optionalWord("stopped", StopCause.self) {
            self = .stopped(cause)
        } else if let cause = try fields.optionalWord("abandoned", StopCause.self) {
            self = .abandoned(cause)
        } else {
            self = fields.flag("lost") ? .lost : .timedOutToRestart
        }
    }
}

extension HandlerOutcome {
    fileprivate var stored: JSONValue {
        var fields = StoredFields()
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
        return fields.value
    }

    fileprivate init(stored: JSONValue) throws(QueueError) {
        let fields = try StoredFields(stored)
        let error = try fields.optionalText("error")
        switch try fields.text("outcome") {
        case "success": self = .success(result: try fields.bytes("result"))
        case "retry":
            self = .retry(afterMilliseconds: try fields.optionalInteger("after"), error: error)
        case "park": self = .park(error: error)
        case "giveUp": self = .giveUp(error: error)
        case "pauseQueue":
            self = .pauseQueue(
                milliseconds: try fields.integer("after"), isCounted: fields.flag("isCounted"),
                error: error)
        case "offline": self = .offline(error: error)
        case let word: throw StoredFields.damage("an outcome \(word)")
        }
    }
}
