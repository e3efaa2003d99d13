import SluiceControl
package import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A new store in one SQLite file; it gets its name when it is whole.
package final class SQLiteSink: TransferSink {
    /// `sqlite`.
    package let format = TransferFormat.sqlite
    private let path: String
    private let folder: UnfinishedFolder
    private let store: SQLiteStore
    private let control: Control
    private let keepsNumbers: Bool
    private var slice: ImportSlice
    private var sliceBytes = 0

    private static let part = "store.db"

    /// Prepares a new store at `path`. Throws `notLegal` if the path exists. With `keepsNumbers`,
    /// tasks of a single source keep their numbers, and an attempt that was running there starts
    /// again.
    package init(
        path: String, source: String, person: String, keepsNumbers: Bool = false,
        now: @escaping @Sendable () -> Timestamp
    ) throws {
        try NewPlace.check(path)
        self.path = path
        self.keepsNumbers = keepsNumbers
        let folder = try NewPlace.folder(for: path)
        self.folder = folder
        do {
            // The store is temporary until it is complete, so one sync at the end is enough.
            store = try SQLiteStore.open(
                path: "\(folder.path)/\(Self.part)", createIfMissing: true, durability: .normal)
        } catch {
            folder.remove()
            throw error
        }
        control = Control(store: store, person: person, now: now, chance: { 0.5 })
        slice = ImportSlice(source: source)
    }

    /// Keeps the item for the next commit.
    package func add(_ item: TransferItem) throws {
        switch item {
        case .queue(let queue):
            slice.queues.append(queue.record(at: control.now()))
        case .task(let item):
            var incoming = item.task
            if keepsNumbers {
                incoming.keepsNumber = true
                if incoming.task.running != nil { incoming.task.executions -= 1 }
            }
            slice.tasks.append(incoming)
            sliceBytes += item.task.payload.count
            if slice.tasks.count == Control.slice || sliceBytes > ImportRun.sliceBytes {
                try flush()
            }
        }
    }

    private func flush() throws {
        let outcome = try control.importBlocking(slice)
        if let error = outcome.result.refused.values.first { throw error }
        slice.bulk = slice.bulk ?? outcome.event
        (slice.queues, slice.tasks, sliceBytes) = ([], [], 0)
    }

    /// Brings the store to the disk and gives it its name.
    package func finish() throws {
        try flush()
        try store.writeBlocking { writer in
            var record = try writer.storeRecord()
            record.durability = .full
            record.version += 1
            try writer.put(record)
        }
        store.close()
        do throws(SystemError) {
            try FileDescriptor(readingPlain: "\(folder.path)/\(Self.part)").sync()
        } catch {
            throw NewPlace.refused(error, path)
        }
        try NewPlace.take(Self.part, of: folder, as: path)
    }

    /// Removes the unfinished store.
    package func cancel() {
        store.close()
        folder.remove()
    }
}
