import SluiceModel
import SluiceStore

/// The queues and the processes, decoded once for as long as their rows stay the same.
package final class SettingsCache {
    package init() {}

    private var queues: [Int64: KnownQueue] = [:]
    /// A queue for each text of settings; the other queues with this text share its settings.
    private var settings: [String: QueueRecord] = [:]
    private var processes: [ProcessID: (text: String, record: ProcessRecord)] = [:]
    private var breakpoints: (text: String, value: Breakpoints)?
    private var faults: (text: String, value: Faults)?
    private var schedules: (text: String, value: Schedules)?
    /// All queues as of a number, once they were read.
    var list: QueueList?
    /// Cache limits; processes come and go.
    private static let processLimit = 256
    private static let settingsLimit = 256

    func process(_ text: String, of id: ProcessID) throws(QueueError) -> ProcessRecord {
        if let entry = processes[id], entry.text == text { return entry.record }
        let record = try ProcessRecord(stored: StoredFields.parse(text))
        if processes.count >= Self.processLimit { processes.removeAll() }
        processes[id] = (text, record)
        return record
    }

    func breakpoints(_ text: String) throws(QueueError) -> Breakpoints {
        if let known = breakpoints, known.text == text { return known.value }
        let value = try Breakpoints(stored: StoredFields.parse(text))
        breakpoints = (text, value)
        return value
    }

    func faults(_ text: String) throws(QueueError) -> Faults {
        if let known = faults, known.text == text { return known.value }
        let value = try Faults(stored: StoredFields.parse(text))
        faults = (text, value)
        return value
    }

    func schedules(_ text: String) throws(QueueError) -> Schedules {
        if let known = schedules, known.text == text { return known.value }
        let value = try Schedules(stored: StoredFields.parse(text))
        schedules = (text, value)
        return value
    }

    /// The queue of a row: as it was, where the row is the same.
    func queue(_ row: any BoundStatement) throws(QueueError) -> KnownQueue {
        let id = row.integer(0)
        let known = queues[id]
        if let known, known.isSame(as: row) { return known }
        let queue = try KnownQueue(row, settings: settings(row.text(2)))
        queues[id] = queue
        return queue
    }

    /// Settings as their column says them: most queues have the same.
    private func settings(
        _ text: String
    ) throws(QueueError) -> (text: String, queue: QueueRecord) {
        if let place = settings.index(forKey: text) {
            return (settings[place].key, settings[place].value)
        }
        let queue = QueueRecord(
            name: "", settings: try QueueSettings(stored: StoredFields.parse(text)),
            createdAt: Timestamp(milliseconds: 0))
        if settings.count >= Self.settingsLimit { settings.removeAll() }
        settings[text] = queue
        return (text, queue)
    }
}

/// A queue as its row says it.
final class KnownQueue {
    let entry: TableReader.QueueEntry
    var shared: SharedQueue { entry.shared }
    /// Whether there is something to do although nothing waits in it.
    var isBusyByItself: Bool { shared.record.run != nil || !shared.record.wakes.isEmpty }
    private var settings = ""
    private var pauses = ""
    private var run: String?
    private var wakes: String?
    private var paidKeys: String?

    init(_ entry: TableReader.QueueEntry) { self.entry = entry }

    /// The columns must match `TableReader.queues`.
    init(
        _ row: any BoundStatement, settings known: (text: String, queue: QueueRecord)
    ) throws(QueueError) {
        settings = known.text
        pauses = row.text(3)
        run = row.optionalText(4)
        wakes = row.optionalText(9)
        paidKeys = row.optionalText(13)
        var queue = QueueRecord(
            name: row.text(1), sharingSettingsOf: known.queue, createdAt: row.moment(7))
        if pauses != "[]" {
            queue.pauses = try [Pause].read(StoredFields.parse(pauses), at: "pauses")
        }
        if let run { queue.run = try Run(stored: StoredFields.parse(run)) }
        queue.lastRunEnd = row.optionalMoment(5)
        queue.barrenRuns = row.int(6)
        queue.version = row.integer(8)
        queue.paidUp = row.optionalInteger(12)
        if let paidKeys { queue.paidKeys = try PaidKeys(stored: StoredFields.parse(paidKeys)) }
        if let wakes { queue.wakes = try [GroupWake].read(StoredFields.parse(wakes), at: "wakes") }
        let types = QueueTypes(main: row.optionalText(10), isMixed: row.integer(11) != 0)
        entry = TableReader.QueueEntry(id: row.integer(0), record: queue, types: types)
    }

    func isSame(as row: any BoundStatement) -> Bool {
        let queue = entry.record
        return row.integer(8) == queue.version && row.text(1) == queue.name
            && row.optionalInteger(12) == queue.paidUp && row.text(2) == settings
            && row.text(3) == pauses && row.optionalText(4) == run
            && row.optionalText(13) == paidKeys && row.optionalText(9) == wakes
            && row.optionalMoment(5) == queue.lastRunEnd
            && row.int(6) == queue.barrenRuns && row.moment(7) == queue.createdAt
            && row.optionalText(10) == entry.types.main
            && (row.integer(11) != 0) == entry.types.isMixed
    }
}

/// Every queue as of a number that grows with every change of one.
struct QueueList {
    var number: Int64
    private(set) var queues: [KnownQueue]
    private(set) var entries: [String: KnownQueue]
    let names: [Int64: String]
    private let places: [Int64: Int]
    /// The indexes of queues that have work although they hold no waiting task.
    private var busy: Set<Int>

    init(number: Int64, _ queues: [KnownQueue]) {
        self.number = number
        self.queues = queues
        entries = Dictionary(
            queues.map { ($0.entry.record.name, $0) }, uniquingKeysWith: { first, _ in first })
        names = Dictionary(
            queues.map { ($0.entry.id, $0.entry.record.name) },
            uniquingKeysWith: { first, _ in first })
        places = Dictionary(
            queues.enumerated().map { ($1.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        busy = Set(queues.indices.filter { queues[$0].isBusyByItself })
    }

    /// The queues with these numbers, by name; with `orBusy` also queues that have work without
    /// waiting tasks.
    func queues(_ numbers: Set<Int64>, orBusy: Bool) -> [KnownQueue] {
        if numbers.count > queues.count / 8 {
            return queues.filter {
                numbers.contains($0.entry.id) || orBusy && $0.isBusyByItself
            }
        }
        var found = orBusy ? busy : []
        for number in numbers {
            if let place = places[number] { found.insert(place) }
        }
        return found.sorted().map { queues[$0] }
    }

    /// Takes in how one of them is now; false for a new one.
    mutating func renew(_ queue: KnownQueue) -> Bool {
        let name = queue.entry.record.name
        guard let place = places[queue.entry.id], names[queue.entry.id] == name
        else { return false }
        (queues[place], entries[name]) = (queue, queue)
        if queue.isBusyByItself { busy.insert(place) } else { busy.remove(place) }
        return true
    }
}
