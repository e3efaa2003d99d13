import SluiceModel
import SluiceStore
import SluiceSystem

/// Observes every change of a folder: of its files by any program, and of its database.
final class FolderWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread
    private let onEnd: @Sendable () -> Void
    private let told: Protected<Bool>

    /// Whether changes reach this observer; false while it is throttled. It becomes true before
    /// notifications resume.
    var isNotified: Bool { told.withLock { $0 } }

    /// Watches `place`. `attach` returns the observation of the database once it exists. `notify`
    /// receives the changed task files.
    init(
        _ place: FolderPlace, attach: @escaping @Sendable () throws -> (any StoreObservation)?,
        _ notify: @escaping @Sendable (_ files: Set<String>) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) throws {
        self.onEnd = onEnd
        do {
            let stop = try EventSignal()
            // A change right after this call is seen too, however late the thread starts.
            let folder = try DirectoryWatch(place.path)
            let tasks = try FolderWatchLoop.tasks(of: place)
            let database = try attach()
            self.stop = stop
            let told = Protected(folder.isNotified && database?.isNotified != false)
            self.told = told
            thread = try Thread(name: "sluice-folder", stackBytes: 1 << 18) {
                var loop = FolderWatchLoop(
                    place: place, folder: folder, tasks: tasks, database: database, attach: attach)
                do {
                    while try loop.wait(stop, told, notify) {}
                } catch {
                    // The watch ends: send a final notification, so that the reader looks again.
                    notify([])
                }
            }
        } catch let error as SystemError {
            throw QueueError.cannotWatch(error)
        }
    }

    deinit {
        onEnd()
        stop.signal()
    }
}

/// The state of a watch's thread.
private struct FolderWatchLoop {
    let place: FolderPlace
    let folder: DirectoryWatch
    var tasks: DirectoryWatch?
    var database: (any StoreObservation)?
    let attach: @Sendable () throws -> (any StoreObservation)?

    init(
        place: FolderPlace, folder: DirectoryWatch, tasks: DirectoryWatch?,
        database: (any StoreObservation)?,
        attach: @escaping @Sendable () throws -> (any StoreObservation)?
    ) {
        (self.place, self.folder, self.tasks, self.attach) = (place, folder, tasks, attach)
        self.database = database
    }

    /// The watch of the tasks' files; `nil` while their folder is missing.
    static func tasks(of place: FolderPlace) throws(SystemError) -> DirectoryWatch? {
        place.status(place.tasksPath)?.kind == .folder ? try DirectoryWatch(place.tasksPath) : nil
    }

    var isNotified: Bool {
        folder.isNotified && tasks?.isNotified != false && database?.isNotified != false
    }

    /// Waits once. Returns false after the stop signal.
    mutating func wait(
        _ stop: EventSignal, _ told: Protected<Bool>, _ notify: @Sendable (Set<String>) -> Void
    ) throws -> Bool {
        if tasks == nil { tasks = try Self.tasks(of: place) }
        _ = try Poll.wait(
            fds: [PollInterest(stop.descriptor.number)] + folder.interests
                + (tasks?.interests ?? []), timeoutMilliseconds: nil)
        if stop.drain() { return false }
        var (isNews, files) = (false, Set<String>())
        for event in try folder.drain() { isNews = isNewsOfFolder(event) || isNews }
        for event in try tasks?.drain() ?? [] {
            if event.kinds.contains(.gone) { tasks = nil }
            guard Self.isContent(event), let name = event.name, name.hasSuffix(".json")
            else { continue }
            isNews = true
            files.insert(name)
        }
        let isNotified = isNotified
        told.withLock { $0 = isNotified }
        if isNews { notify(files) }
        return true
    }

    private mutating func isNewsOfFolder(_ event: WatchEvent) -> Bool {
        if database == nil, event.name?.hasPrefix("sluice.db") ?? false {
            // It may not be ready yet: then a later notice will find it.
            database = (try? attach()) ?? nil
            return database != nil
        }
        guard event.name == "inventory.json" || event.name == "tasks" || event.name == nil else {
            return event.kinds.contains(.overflow)
        }
        return Self.isContent(event) || event.kinds.contains(.created)
    }

    private static func isContent(_ event: WatchEvent) -> Bool {
        !event.kinds.isDisjoint(
            with: [.closedAfterWrite, .movedIn, .movedOut, .deleted, .gone, .overflow])
    }
}
