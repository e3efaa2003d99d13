import SluiceModel
import SluiceStore

/// A store's answer to one query.
enum Answer: Hashable, Sendable {
    case record(StoreRecord)
    case queues([QueueRecord])
    case tasks([QueueTask])
    case ids([TaskID])
    case bytes([UInt8]?)
    case counts(QueueCounts)
    case groups([GroupSummary])
    case fresh(FreshTasks)
    case moment(Timestamp?)
    case positions([Int64?])
    case attempts([AttemptRecord])
    case entries([JournalEntry])
    case event(JournalEvent?)
    case processes([ProcessRecord])
    case permits([Permit])
    case ended([EndedCounts])
    case failures([FailureCount])
    case types([TypeCount])
}

struct Question: Hashable, Sendable {
    var label: String
    var answer: Answer
}

extension StoreReader {
    /// All queries of a store, with their answers.
    func inventory() throws -> [Question] {
        var all: [Question] = []
        func ask(_ label: String, _ answer: Answer) {
            all.append(Question(label: label, answer: answer))
        }
        var record = try storeRecord()
        record.identity = ""
        record.durability = .full
        ask("record", .record(record))
        let queues = try queues()
        ask("queues", .queues(queues))
        for queue in queues { try answers(of: queue, ask) }
        for place in 0..<3 {
            let now = at(Int64(place) * 20)
            ask("wake \(place)", .tasks(try tasks(.timers(queue: nil, through: now), limit: 7)))
            ask("expire \(place)", .tasks(try tasks(.expiring(through: now), limit: 5)))
        }
        ask("timers", .tasks(try tasks(.timers(queue: nil), limit: 9)))
        ask(
            "timers behind",
            .tasks(
                try tasks(.timers(queue: nil, after: TimerCursor(at: at(50), id: 6)), limit: 9)))
        ask("next expiry", .moment(try nextExpiry()))
        ask("journal", .entries(try journal(JournalQuery(limit: 30))))
        for person in ["ann", "bob"] {
            for isUndo in [false, true] {
                let newest = try lastUndoable(by: person, isUndo: isUndo)
                ask("undo \(person) \(isUndo)", .event(newest))
            }
        }
        for event in Int64(1)...9 {
            ask("slices \(event)", .ids(try undoable(.slices(ofBulk: event))))
        }
        ask("processes", .processes(try processes()))
        ask("permits", .permits(try permits()))
        let types = try typeCounts().sorted { ($0.queue, $0.type) < ($1.queue, $1.type) }
        ask("types", .types(types))
        ask("newest", .tasks(try tasks(.newest(), limit: 5)))
        ask("numbered", .tasks(try tasks(.numbered(after: 4), limit: 5)))
        for states: Set<TaskState.Name> in [[.waiting], [.running, .failed], [.deleted]] {
            ask("numbered", .tasks(try tasks(.numbered(after: 2, in: states), limit: 5)))
            ask("newest", .tasks(try tasks(.newest(before: 7, in: states), limit: 5)))
        }
        for state in TaskState.Name.allCases {
            ask(
                "awaited \(state)",
                .tasks(try tasks(.awaited(session: "s", state: state, after: 2), limit: 5)))
        }
        for process in ProcessID(1)...9 {
            ask("run by \(process)", .tasks(sorted(try tasksRun(by: process))))
            ask("left by \(process)", .tasks(sorted(try tasksLingering(of: process))))
        }
        return all
    }

    private func sorted(_ tasks: [QueueTask]) -> [QueueTask] { tasks.sorted { $0.id < $1.id } }

    private func ended(_ what: EndedSelection, queue: String?) throws -> [EndedCounts] {
        try endedCounts(what, queue: queue, since: at(10)).sorted {
            ("\($0.what)", $0.minute) < ("\($1.what)", $1.minute)
        }
    }

    /// The first time counts since the store last had no such failure, so ignore the times.
    private func failures(of queue: String?) throws -> [FailureCount] {
        try failureCounts(queue: queue).map { count in
            var count = count
            (count.first, count.last) = (at(0), at(0))
            return count
        }.sorted {
            ($0.queue, $0.kind.text, $0.type) < ($1.queue, $1.kind.text, $1.type)
        }
    }

    private func answers(of queue: QueueRecord, _ put: (String, Answer) -> Void) throws {
        let name = queue.name
        func ask(_ label: String, _ answer: Answer) { put("\(name): \(label)", answer) }
        ask("counts", .counts(try counts(queue: name).withoutZeros))
        var found: [QueueTask] = []
        for state in TaskState.Name.allCases {
            let query = TaskQuery(queue: name, state: state, limit: 1000)
            let page = try tasks(matching: query)
            found += page
            ask("\(state)", .tasks(page))
            guard page.count > 2 else { continue }
            var behind = query
            behind.after = page[page.count / 2].orderKey(queue.settings.order)
            behind.limit = 3
            ask("\(state) behind", .tasks(try tasks(matching: behind)))
            for isBackwards in [false, true] {
                for limit in [2, 1000] {
                    var rest = behind
                    rest.isBackwards = isBackwards
                    let count = try countTasks(.page(rest), limit: limit)
                    ask("\(state) from there, to \(limit), \(isBackwards)", .ids([TaskID(count)]))
                }
            }
            behind.isBackwards = true
            behind.group = "g1"
            ask("\(state) of g1 before", .tasks(try tasks(matching: behind)))
        }
        let flagSets = Set(found.map(\.waitFlags.rawValue)).sorted().map(WaitFlags.init(rawValue:))
        for waitFlags in flagSets where waitFlags.rawValue < 64 {
            var query = TaskQuery(queue: name, waitFlags: waitFlags, limit: 4)
            ask("lane \(waitFlags.rawValue)", .tasks(try tasks(matching: query)))
            query.types = ["mail"]
            query.isOffline = true
            ask("lane \(waitFlags.rawValue) offline", .tasks(try tasks(matching: query)))
        }
        ask("groups", .groups(try groups(queue: name, after: nil, limit: 10)))
        for group in ["g0", "g1"] {
            for position in [Int64(5), 20, 1000] {
                let start = try holdingStart(queue: name, group: group, before: position)
                ask("\(group) before \(position)", .ids([start ?? 0]))
                let members = try tasks(
                    .waitingMembers(
                        queue: name, group: group, after: position, through: position + 40),
                    limit: 5)
                ask("\(group) behind \(position)", .tasks(members))
            }
        }
        for key in ["key 2", "key 4"] {
            let holders = try uniqueHolders(
                queue: name, type: "mail", key: key, includingRunning: key == "key 2")
            ask("holders of \(key)", .ids(holders.sorted()))
        }
        ask("fresh", .fresh(try fresh(queue: name, since: at(1), now: at(15), limit: 3)))
        let ends = [
            try neighbour(queue: name, of: .min, isBefore: false), try lastPosition(queue: name),
        ]
        let near = try neighbour(queue: name, of: 20, isBefore: true)
        let behind = try neighbour(queue: name, of: 20, isBefore: false)
        ask("positions", .positions(ends + [near, behind]))
        ask("arrived", .tasks(try tasks(.arrived(queue: name, after: 20), limit: 5)))
        ask("before", .tasks(try tasks(.arrivedBefore(queue: name, position: 50), limit: 5)))
        for selection in [
            TaskSelection.waitingMembers(queue: name, group: "g1", after: 5),
            .timers(queue: name, after: TimerCursor(at: at(20), id: 3), through: at(60)),
            .ended(queue: name, state: .succeeded, before: at(31)),
        ] {
            let counted = try countTasks(selection, limit: 3)
            ask("\(selection)", .ids([TaskID(counted)]))
            ask("\(selection) themselves", .tasks(try tasks(selection, limit: 3)))
        }
        for state in [TaskState.Name.succeeded, .failed, .deleted] {
            let ended = try tasks(.ended(queue: name, state: state, before: at(31)), limit: 4)
            ask("ended \(state)", .tasks(ended))
        }
        ask("wake", .tasks(try tasks(.timers(queue: name, through: at(45)), limit: 4)))
        for what in [EndedSelection.attempts, .failures] {
            ask("ended \(what)", .ended(try ended(what, queue: name)))
        }
        ask("failures", .failures(try failures(of: name)))
        for task in found.sorted(by: { $0.id < $1.id }) {
            ask("payload \(task.id)", .bytes(try payload(of: task.id)))
            ask("result \(task.id)", .bytes(try result(of: task.id)))
            ask("attempts \(task.id)", .attempts(try attempts(of: task.id)))
            ask("follow-ups \(task.id)", .ids(try followUps(of: task.id).sorted()))
        }
    }
}
