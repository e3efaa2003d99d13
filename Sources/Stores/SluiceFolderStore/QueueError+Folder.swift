package import SluiceModel
import SluicePlatform

extension QueueError {
    static func noFolder(_ path: String) -> QueueError {
        QueueError(
            .noStore, "there is no folder at \(path)",
            fix: "name a folder with inventory.json, or an SQLite file")
    }

    static func notAFolder(_ path: String, _ kind: FileStatus.Kind) -> QueueError {
        QueueError(
            .notAStore, "\(path) is \(kind.words), no folder",
            fix: "name a folder with inventory.json, or an SQLite file")
    }

    static func noInventory(_ path: String) -> QueueError {
        QueueError(
            .notAStore, "\(path) is a folder without inventory.json",
            fix: "name the folder \"queue\" that the SDK made, or an SQLite file")
    }

    /// The error for a folder that contains no inventory, with the queues found below it.
    fileprivate static func noQueue(_ path: String, _ search: FolderSearch) -> QueueError {
        guard !search.found.isEmpty else { return .emptyContainer(path, search) }
        let cut = search.isCut ? ", where the first \(FolderSearch.limit) names were read" : ""
        let commands = search.found.prefix(8).map { "sluice --store \(ShellWord.quoted($0))" }
        let more = search.found.count > 8 ? " and \(search.found.count - 8) more" : ""
        let count = search.found.count
        return QueueError(
            .notAStore,
            count == 1
                ? "a queue of an SDK is below \(path)\(cut)"
                : "\(count) queues of an SDK are below \(path)\(cut)",
            fix: "open \(count == 1 ? "it" : "one of them"): "
                + commands.joined(separator: ", ") + more)
    }

    /// A folder without an SDK's queue: the searched place, and the place of a queue if any.
    private static func emptyContainer(_ path: String, _ search: FolderSearch) -> QueueError {
        let names =
            search.isCut
            ? "the first \(FolderSearch.limit) names"
            : search.looked == 1 ? "1 name" : "\(search.looked) names"
        let places = "\(names), \(FolderSearch.depth) folders deep at most,"
        let refused = search.unreadable.first.map { first in
            let others = search.unreadable.count - 1
            return "; \(first)\(others > 0 ? " and \(others) more" : "") cannot be read"
        }
        return QueueError(
            .notAStore,
            "\(path) is a folder without inventory.json, and no queue/inventory.json is below it: "
                + "\(places) were looked at\(refused ?? "")",
            fix: "name the SDK's folder, Library/Application Support/io.customer/SITE/queue on iOS "
                + "and files/io.customer/SITE/queue on Android, or an SQLite file, such as "
                + ShellWord.quoted("\(path)/sluice.db"))
    }

    /// An inventory in the keys of another SDK than that of the tasks that `sluice.db` knows.
    static func otherDialect(_ path: String, _ found: FolderDialect) -> QueueError {
        QueueError(
            .damagedStore,
            "\(path) has the keys of the SDK for \(found.name), and the tasks that were known "
                + "have not",
            fix: "open a copy of the folder without its sluice.db")
    }

    static func foreignPart(_ path: String, _ kind: FileStatus.Kind) -> QueueError {
        QueueError(
            .notAStore, "\(path) is \(kind.words), and is not followed",
            fix: "name the folder that the SDK made")
    }

    static func damagedInventory(_ path: String, _ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is damaged and was left as it is: \(what)",
            fix: "copy the folder away, then fix the file or put an older one in its place")
    }

    static func lostInventory(_ path: String, tasks: Int) -> QueueError {
        QueueError(
            .damagedStore, "\(path) is missing, and \(tasks) tasks were in it",
            fix: "put it back, or a file with [] to give the tasks up")
    }

    static func closedFolder(_ name: String) -> QueueError {
        QueueError(.noStore, "\(name) was closed", fix: "open it again")
    }

    static func movedFolder(_ name: String) -> QueueError {
        QueueError(
            .noStore, "\(name) was removed or replaced while it was open", fix: "open it again")
    }

    /// A change of a file that the system refused.
    static func refusedFile(_ error: SystemError) -> QueueError {
        QueueError(
            error.isFull ? .diskFull : .denied,
            "\(error.sentence); the changes are kept in sluice.db",
            fix: "fix that: the files follow with the next change")
    }
}

extension FolderSearch {
    /// The error for a folder above several possible queues.
    package func error(_ path: String) -> QueueError { .noQueue(path, self) }
}
