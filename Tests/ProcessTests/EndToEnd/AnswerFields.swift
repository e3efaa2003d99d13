import SluiceModel

/// The fields of one answer, compared with reads before and after the verb.
struct AnswerFields {
    private(set) var compared = 0
    private(set) var wrong: [String] = []
    private var before = AnswerWorld.Reads()
    private var after = AnswerWorld.Reads()
    private var words: [String] = []

    /// The next verb.
    mutating func begin(
        _ before: AnswerWorld.Reads, _ after: AnswerWorld.Reads, _ words: [String]
    ) {
        (self.before, self.after, self.words, wrong) = (before, after, words, [])
    }

    private mutating func compare(_ said: JSONValue?, _ read: JSONValue?, _ what: String) {
        compared += 1
        if said != read { wrong.append("\(what): \(said?.text ?? "-"), read \(read?.text ?? "-")") }
    }

    private mutating func require(_ isSo: Bool, _ what: String) {
        compared += 1
        if !isSo { wrong.append(what) }
    }

    /// A refusal changes nothing.
    mutating func refusal(_ error: JSONValue) {
        require(error["code"]?.string?.isEmpty == false, "the error has no code")
        require(error["message"]?.string?.isEmpty == false, "the error has no message")
        for (id, task) in before.tasks {
            let isSame = after.tasks[id]?["version"] == task["version"]
            require(isSame, "#\(id) changed although the verb was refused")
        }
        for (name, queue) in before.queues {
            compare(after.queues[name]?["pauses"], queue["pauses"], "pauses of \(name)")
        }
        require(after.tasks.count == before.tasks.count, "tasks came or went")
    }

    /// An answer; `read` asks the store with one more command.
    mutating func answer(_ answer: JSONValue, _ read: ([String]) -> JSONValue) {
        if let undo = answer["undo"] { self.undo(undo) }
        for name in ["consequences"] {
            for text in answer[name]?.array?.compactMap(\.string) ?? [] { consequence(text) }
        }
        switch words[0] {
        case "enqueue": enqueue(answer)
        case "pause", "resume": pauses(answer, read)
        case "step": step(answer)
        case "break" where answer["breakpoints"] != nil:
            listed(answer, "breakpoints", "id", read(["break", "list", "--json"]))
        case "fault": listed(answer, "faults", "id", read(["fault", "list", "--json"]))
        case "schedule": listed(answer, "schedules", "name", read(["schedule", "list", "--json"]))
        case "checkpoint":
            listed(answer, "checkpoints", "name", read(["checkpoint", "list", "--json"]))
        default: changes(answer)
        }
    }

    /// The number of an entry of the log that this verb made; null where it made none to undo.
    private mutating func undo(_ undo: JSONValue) {
        guard let number = undo.integer else { return compare(undo, .null, "undo") }
        let event = after.log[number]
        compare(event?["by"], .string(AnswerWorld.person), "who did \(number)")
        require(before.log[number] == nil, "undo \(number) was there before")
    }

    private mutating func consequence(_ text: String) {
        for piece in text.split(separator: "#").dropFirst() {
            guard let id = Int64(piece.prefix { $0.isNumber }) else { continue }
            require(after.tasks[id] != nil || before.tasks[id] != nil, "#\(id) is not there")
        }
    }

    private mutating func enqueue(_ answer: JSONValue) {
        let kept = answer["kept"]?.array ?? []
        let isNew = before.queues[words[1]] == nil
        compare(answer["created"], isNew ? .string(words[1]) : .null, "created")
        for id in answer["ids"]?.array?.compactMap(\.integer) ?? [] {
            let task = after.tasks[id]
            compare(task?["queue"], .string(words[1]), "queue of #\(id)")
            let isKept = kept.contains { $0["id"]?.integer == id }
            require((before.tasks[id] != nil) == isKept, "#\(id) is kept: \(isKept)")
            if !isKept { compare(task?["type"], .string(words[2]), "type of #\(id)") }
        }
        for one in kept {
            let task = one["id"]?.integer.flatMap { after.tasks[$0] }
            // The first due task is shown as the next one.
            let shown = task?["display"] == "next" ? "due" : task?["display"]
            compare(one["state"] == "next" ? "due" : one["state"], shown, "state of what was kept")
        }
    }

    private mutating func pauses(_ answer: JSONValue, _ read: ([String]) -> JSONValue) {
        let name = words[1]
        guard name != "--all" else {
            compare(answer["queue"], .null, "queue")
            for (name, queue) in after.queues {
                let all = queue["pauses"]?.array ?? []
                for pause in answer["pauses"]?.array ?? [] {
                    require(all.contains(pause), "\(pause.text) is not a pause of \(name)")
                }
                let isPaused = !(answer["pauses"]?.array ?? []).isEmpty
                require(isPaused || !all.contains { $0["cause"] == "store" }, "\(name) is paused")
            }
            return require(
                ["paused", "pausing", "running"].contains(answer["state"]?.string), "state")
        }
        compare(answer["queue"], .string(name), "queue")
        let queue = after.queues[name]
        compare(answer["pauses"], queue?["pauses"], "pauses")
        compare(answer["state"], queue?["state"], "state of \(name)")
        for ended in answer["ended"]?.array ?? [] {
            require(
                before.queues[name]?["pauses"]?.array?.contains(ended) == true,
                "\(ended.text) was no pause")
            require(queue?["pauses"]?.array?.contains(ended) == false, "\(ended.text) is a pause")
        }
        guard words[0] == "resume" else { return }
        let gone = (before.queues[name]?["pauses"]?.array ?? []).filter {
            queue?["pauses"]?.array?.contains($0) == false
        }
        compare(.array(gone), answer["ended"], "ended")
    }

    private mutating func step(_ answer: JSONValue) {
        for one in answer["stepped"]?.array ?? [] {
            guard let id = one["id"]?.integer else {
                require(false, "a step without a task")
                continue
            }
            let task = after.tasks[id]
            compare(one["type"], before.tasks[id]?["type"], "type of #\(id)")
            let word = one["outcome"]?.string
            let display = task?["display"]?.string
            switch word {
            case "success":
                require(display == nil || display == "succeeded", "#\(id): \(word ?? "")")
            case "giveUp": compare(task?["state"], "failed", "state of #\(id)")
            default:
                let isThere = ["waiting", "failed"].contains(task?["state"]?.string)
                require(isThere, "#\(id) after \(word ?? "-"): \(task?["state"]?.text ?? "-")")
            }
            if word != "success" { compare(one["error"], task?["error"], "error of #\(id)") }
        }
        let next = after.tasks.values.filter {
            $0["queue"] == .string(words[1]) && $0["display"] == "next"
        }
        if let id = answer["next"]?.integer {
            require(
                next.contains { $0["id"]?.integer == id }, "next \(id), read \(next.map(\.text))")
        } else {
            require(next.isEmpty, "next null, read \(next.map(\.text))")
        }
        compare(answer["run"], after.queues[words[1]]?["run"], "run")
    }

    /// Compares the entries of an answer with those of the list, field by field.
    private mutating func listed(
        _ answer: JSONValue, _ name: String, _ key: String, _ read: JSONValue
    ) {
        let all = read[name]?.array ?? []
        for one in answer[name]?.array ?? [] {
            let same = all.first { $0[key] == one[key] }
            for pair in one.object?.pairs ?? [] {
                compare(pair.value, same?[pair.key], "\(name) \(pair.key)")
            }
        }
        if words.contains("remove") { require(all.isEmpty, "\(name) are left") }
        if let created = answer["created"] {
            let isNew = words.count > 4 && before.queues[words[4]] == nil
            compare(created, isNew ? .string(words[4]) : .null, "created")
        }
    }

    private mutating func changes(_ answer: JSONValue) {
        let changed = answer["changed"]?.array?.compactMap(\.integer) ?? []
        let failed = answer["failed"]?.array ?? []
        for id in changed { self.changed(id, after.tasks[id]) }
        for failure in failed {
            guard let id = failure["id"]?.integer else { continue }
            require(!changed.contains(id), "#\(id) changed and failed")
            let now = after.tasks[id]?["version"]
            compare(before.tasks[id]?["version"], now, "version of #\(id), which failed")
            let isThere = before.tasks[id] != nil
            require(isThere || failure["code"] == "unknownTask", "\(failure.text), unknown")
            require(!(isThere && failure["code"] == "unknownTask"), "\(failure.text), known")
            require(failure["error"]?.string?.isEmpty == false, "no words for #\(id)")
        }
        let asked = words.dropFirst().prefix { Int64($0) != nil }.compactMap { Int64($0) }
        let isOfMany = ["skip", "unskip", "delete", "undelete", "retry"].contains(words[0])
        for id in asked where isOfMany {
            let isSaid = changed.contains(id) || failed.contains { $0["id"]?.integer == id }
            require(isSaid, "nothing is said of #\(id)")
        }
    }

    private mutating func changed(_ id: Int64, _ task: JSONValue?) {
        switch words[0] {
        case "skip": compare(task?["display"], "skipped", "#\(id)")
        case "unskip": require(task.map { $0["display"] != "skipped" } == true, "#\(id) is skipped")
        case "delete": compare(task?["state"], "deleted", "#\(id)")
        case "undelete":
            require(task.map { $0["state"] != "deleted" } == true, "#\(id) is deleted")
        case "retry":
            compare(task?["state"], "waiting", "#\(id)")
            compare(task?["notBefore"], .null, "notBefore of #\(id)")
            let old = before.tasks[id]
            let attempts = old?["state"] == "failed" ? 0 : old?["attempts"]
            compare(task?["attempts"], attempts, "attempts of #\(id)")
        case "postpone": require(task?["notBefore"]?.string != nil, "#\(id) has no time")
        case "priority": compare(task?["priority"]?.text.asValue, words[2].asValue, "#\(id)")
        case "edit": compare(task?["label"], .string(String(words[3].dropFirst(6))), "#\(id)")
        case "duplicate":
            require(before.tasks[id] == nil, "#\(id) was there")
            let old = Int64(words[1]).flatMap { before.tasks[$0] }
            for field in ["type", "queue", "label", "priority"] {
                compare(task?[field], old?[field], "\(field) of #\(id)")
            }
        case "move" where words[2] == "--queue":
            compare(task?["queue"], .string(words[3]), "queue of #\(id)")
        case "move":
            let queue = task?["queue"]
            let isFirst = words[2] == "--first"
            for (other, one) in after.tasks
            where other != id && one["queue"] == queue && one["state"] == "waiting" {
                let (own, its) = (task?["position"]?.integer ?? 0, one["position"]?.integer ?? 0)
                require(isFirst ? own < its : own > its, "#\(id) is not at the end: #\(other)")
            }
        case "purge": require(task == nil, "#\(id) is there")
        default: require(task != nil || before.tasks[id] != nil, "#\(id) is not known")
        }
    }
}

extension String {
    fileprivate var asValue: JSONValue { .string(self) }
}
