import SluiceModel
import SluiceStore

/// A store as it will be after the cleanup of dead processes. It hides their pauses, breakpoints,
/// recordings and permits (A2).
///
/// Reading changes nothing, so this type omits those rows. Tasks remain as stored: `Reading`
/// reports how a death affects each one.
struct LivingReader: ForwardingReader {
    let reader: any StoreReader
    private let gone: Set<ProcessID>

    init(_ reader: any StoreReader, without gone: [ProcessRecord]) {
        self.reader = reader
        self.gone = Set(gone.map(\.id))
    }

    func storeRecord() throws -> StoreRecord {
        var record = try reader.storeRecord()
        record.pauses.removeAll { isOfDead($0.owner) }
        record.breakpoints.all.removeAll { isOfDead($0.owner) }
        if isOfDead(record.recording?.recorder) { record.recording = nil }
        return record
    }

    func queues(_ selection: QueueSelection) throws -> [SharedQueue] {
        let ended = Set(
            try reader.storeRecord().breakpoints.all.filter { isOfDead($0.owner) }.map(\.number))
        return try reader.queues(selection).map { shared in
            let pauses = shared.record.pauses.compactMap { living($0, without: ended) }
            guard pauses != shared.record.pauses else { return shared }
            var queue = shared.record
            queue.pauses = pauses
            return SharedQueue(queue)
        }
    }

    func permits() throws -> [Permit] {
        try reader.permits().filter { !isOfDead($0.issuer) && !isOfDead($0.runner) }
    }

    private func isOfDead(_ owner: ProcessID?) -> Bool { owner.map(gone.contains) ?? false }

    /// A pause as it holds without breakpoints that ended; nil if nothing of it does.
    private func living(_ pause: Pause, without ended: Set<Int64>) -> Pause? {
        if isOfDead(pause.owner) { return nil }
        guard pause.cause == .breakpoint else { return pause }
        var pause = pause
        pause.hits.removeAll { ended.contains($0.breakpoint) }
        return pause.hits.isEmpty ? nil : pause
    }
}
