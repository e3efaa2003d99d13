import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// How the console comes to a store by its name: with what the program was started with, it opens
/// it and binds to it who acts, the handlers and the command line.
struct ScreenOpening: Sendable {
    let host: Host
    let common: CommonOptions
    let handlers: String?
    let person: String

    /// The store of a place, opened.
    func open(_ place: String) throws -> ScreenStore {
        try source(host.openStore(place, access), at: place)
    }

    /// A store that was opened at a place.
    func source(_ store: any QueueStore, at place: String) -> ScreenStore {
        var common = common
        common.store = place
        let commands = ScreenCommands(host: host, common: common, handlers: handlers)
        return ScreenStore(
            store, name: StorePlace(place).name,
            open: { try host.openStore(place, access) },
            elsewhere: { other in
                guard !StorePlace(other).isSame(as: StorePlace(place)) else {
                    throw QueueError(
                        .badValue, "\(StorePlace(other).name) is open already",
                        fix: "name another store")
                }
                return try open(other)
            },
            bind: { store in
                let control = Control(
                    store: store, person: person, now: host.now, chance: host.chance)
                return StoreCommands(
                    control: control, command: { commands.run($0, watch: $1) },
                    withHandlers: { try commands.withHandlers($0) })
            })
    }

    private var access: StoreAccess { StoreAccess(isReadOnly: common.isReadOnly) }
}

extension StorePlace {
    /// Whether both are one place: two openings of one file in a process would be in each other's
    /// way, since whoever closes a file loses all locks on it.
    fileprivate func isSame(as other: StorePlace) -> Bool {
        guard let one = path, let another = other.path else { return self == other }
        guard let first = try? Files.realPath(one), let second = try? Files.realPath(another) else {
            return one == another
        }
        return first == second
    }

    private var path: String? {
        switch self {
        case .sqlite(let path), .folder(let path): path
        case .postgres: nil
        }
    }
}
