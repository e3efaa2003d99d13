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

    /// The inventory, or nil where there is none; what cannot be read is damage (P3).
    ///
    /// The SDK writes in place: one that is half there is waited for as long as a program has it
    /// open for writing or it goes on changing, at most 2 s.
    func inventoryFile() throws(QueueError) -> InventoryFile? {
        try inventoryFile(at: inventoryPath, whenStill: false)
    }

    /// What was swapped out of the inventory's place: read when no program writes into it any more.
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
                    throw former.map { Inventory.isOfAndroid($0.bytes) } == true
                        ? .androidInventory(inventoryPath)
                        : .damagedInventory(inventoryPath, error.message)
                }
            }
            pause()
        }
    }

    /// The inventory that a file holds; nil where it is none yet and may become one.
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

    /// Waits a moment for those of these tasks whose files go away: the SDK removes an entry first
    /// and the file right behind it.
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
    /// How often it must be found the same again to be taken for what its writer meant it to be.
    fileprivate var repetitionsWhenStill: Int {
        switch isBeingWritten {
        case true?: .max
        case false?: 1
        case nil: 20
        }
    }
}
