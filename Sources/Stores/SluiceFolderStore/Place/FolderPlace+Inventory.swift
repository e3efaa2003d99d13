import SluiceModel
import SluicePlatform

/// `inventory.json` as it stood at one moment.
struct InventoryFile: Equatable {
    var inventory: Inventory
    var bytes: [UInt8]
    var status: FileStatus
}

/// Reading the inventory although a program that knows no lock may be writing it.
extension FolderPlace {
    private static let timeoutNanoseconds: UInt64 = 2_000_000_000
    private static let pauseMilliseconds = 2
    private static let doubtMilliseconds = 100

    /// The inventory; `nil` if there is no file. Throws `damagedStore` for unreadable content (P3).
    ///
    /// The SDK writes in place. An incomplete file is read again, for at most 2 s, while a program
    /// has it open for writing or it changes.
    func inventoryFile() throws(QueueError) -> InventoryFile? {
        try inventoryFile(at: inventoryPath, whenStill: false)
    }

    /// A displaced inventory, read after the last program has stopped writing to it.
    func displacedInventory(at path: String) throws(QueueError) -> InventoryFile? {
        try inventoryFile(at: path, whenStill: true)
    }

    private func inventoryFile(
        at path: String, whenStill: Bool
    ) throws(QueueError) -> InventoryFile? {
        let deadline = SystemClock.monotonicNanoseconds() + Self.timeoutNanoseconds
        var (former, repetitions) = (PlainFile?.none, 0)
        while true {
            let isLast = SystemClock.monotonicNanoseconds() >= deadline
            do throws(FormatError) {
                guard let file = try read(path, limitBytes: Self.inventoryLimitBytes) else {
                    return nil
                }
                repetitions = file == former ? repetitions + 1 : 0
                former = file
                if isLast || !(whenStill && file.isBeingWritten ?? false) {
                    let isStill = repetitions >= file.repetitionsWhenStill
                    if let found = try inventory(file, isLast: isLast || isStill) { return found }
                }
            } catch {
                guard error.isPassing, !isLast else {
                    throw .damagedInventory(inventoryPath, error.message)
                }
            }
            pause()
        }
    }

    /// Decodes an inventory; `nil` if it is incomplete and may still become valid.
    private func inventory(
        _ file: PlainFile, isLast: Bool
    ) throws(FormatError) -> InventoryFile? {
        do throws(FormatError) {
            return InventoryFile(
                inventory: try Inventory(file.bytes), bytes: file.bytes, status: file.status)
        } catch {
            if isLast { throw error }
            return nil
        }
    }

    /// Waits briefly for the removal of these files: the SDK removes an entry first and its file
    /// immediately afterwards.
    func awaitRemoval(ofFiles ids: some Collection<String>) {
        let deadline =
            SystemClock.monotonicNanoseconds() + UInt64(Self.doubtMilliseconds) * 1_000_000
        while ids.contains(where: hasFile), SystemClock.monotonicNanoseconds() < deadline {
            pause()
        }
    }

    /// Waits as long as a program may take between the file of a task and its entry.
    func awaitEntries() { pause(Self.doubtMilliseconds) }

    private func pause(_ milliseconds: Int = pauseMilliseconds) {
        // A wait that a signal ends early only looks again sooner.
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: milliseconds)
    }
}

extension PlainFile {
    /// The number of identical reads that make a file count as complete.
    fileprivate var repetitionsWhenStill: Int {
        switch isBeingWritten {
        case true?: .max
        case false?: 1
        case nil: 20
        }
    }
}
