import Glibc
import SluiceC

/// The inotify instance that the watches of a process share: a user has few of them (128 by
/// default), and every process at a store needs one.
///
/// A thread that waits for a watch also reads the instance for all: it puts other watches' events
/// into their boxes and wakes them. The first box opens the instance, the last one closes it.
package final class WatchInstance: Sendable {
    package static let own = WatchInstance()

    typealias BoxID = Int

    /// The requests and events of a watch.
    fileprivate struct Box: Sendable {
        var signal: EventSignal
        var events: [WatchEvent] = []
        /// The paths without a kernel watch, and the timer that replaces it.
        var untold: [(path: String, kinds: WatchEvent.Kinds)] = []
        var ticks: FileDescriptor?
    }

    /// A box that receives events of one kernel watch.
    fileprivate struct Subscription: Sendable {
        var box: BoxID
        var path: String
        var kinds: WatchEvent.Kinds
    }

    fileprivate struct State: Sendable {
        var descriptor: FileDescriptor?
        var boxes: [BoxID: Box] = [:]
        var subscriptions: [Int32: [Subscription]] = [:]
        var lastBox = 0
    }

    private let state = Protected(State())
    private let lookMilliseconds: Int32
    private let isGranted: @Sendable () -> Bool

    /// A separate instance for tests; `isGranted` false simulates a user without free instances.
    package init(
        lookMilliseconds: Int32 = 1000, isGranted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.lookMilliseconds = lookMilliseconds
        self.isGranted = isGranted
    }

    func open() throws(SystemError) -> BoxID {
        let signal = try EventSignal()
        return state.withLock { state in
            state.lastBox += 1
            state.boxes[state.lastBox] = Box(signal: signal)
            return state.lastBox
        }
    }

    func close(_ box: BoxID) {
        state.withLock { state in
            state.boxes[box] = nil
            for watch in Array(state.subscriptions.keys) {
                state.leave(watch) { $0.box == box }
            }
            if state.boxes.isEmpty { state.descriptor = nil }
        }
    }

    func add(
        _ path: String, for kinds: WatchEvent.Kinds, to box: BoxID
    ) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            do throws(SystemError) {
                try take(path, kinds, box, &state)
            } catch {
                guard error.isExhausted else { throw error }
                guard access(path, F_OK) == 0 else { throw .last(.watch, path: path) }
                if state.boxes[box]?.ticks == nil {
                    let ticks = csys_ticks(lookMilliseconds)
                    guard ticks >= 0 else { throw .last(.event) }
                    state.boxes[box]?.ticks = FileDescriptor(owning: ticks)
                }
                state.boxes[box]?.untold.append((path, kinds))
            }
        }
    }

    func remove(_ path: String, from box: BoxID) {
        state.withLock { state in
            state.boxes[box]?.untold.removeAll { $0.path == path }
            if state.boxes[box]?.untold.isEmpty == true { state.boxes[box]?.ticks = nil }
            for watch in Array(state.subscriptions.keys) {
                state.leave(watch) { $0.box == box && $0.path == path }
            }
        }
    }

    func interests(of box: BoxID) -> [PollInterest] {
        state.withLock { state in
            let own = state.boxes[box]
            let all = [own?.signal.descriptor, state.descriptor, own?.ticks]
            return all.compactMap { $0.map { PollInterest($0.number) } }
        }
    }

    func isNotified(_ box: BoxID) -> Bool {
        state.withLock { $0.boxes[box]?.ticks == nil }
    }

    func drain(_ box: BoxID) throws(SystemError) -> [WatchEvent] {
        try state.withLock { state throws(SystemError) in
            state.boxes[box]?.signal.drain()
            try state.read(for: box)
            look(box, &state)
            defer { state.boxes[box]?.events = [] }
            return state.boxes[box]?.events ?? []
        }
    }

    /// Asks the kernel for a notice.
    private func take(
        _ path: String, _ kinds: WatchEvent.Kinds, _ box: BoxID, _ state: inout State
    ) throws(SystemError) {
        if state.descriptor == nil {
            guard isGranted() else { throw SystemError(.watch, path: path, reason: .code(EMFILE)) }
            let number = csys_inotify()
            guard number >= 0 else { throw .last(.watch, path: path) }
            state.descriptor = FileDescriptor(owning: number)
        }
        let watch = csys_inotify_add(state.descriptor?.number ?? -1, path, kinds.rawValue)
        guard watch >= 0 else { throw .last(.watch, path: path) }
        var subscriptions = state.subscriptions[watch] ?? []
        if let known = subscriptions.firstIndex(where: { $0.box == box && $0.path == path }) {
            subscriptions[known].kinds.formUnion(kinds)
        } else {
            subscriptions.append(Subscription(box: box, path: path, kinds: kinds))
        }
        state.subscriptions[watch] = subscriptions
    }

    /// Reads the timer of a box with polled paths: anything may have changed, and a kernel watch
    /// may be available now.
    private func look(_ box: BoxID, _ state: inout State) {
        guard let ticks = state.boxes[box]?.ticks else { return }
        guard
            case .success(.bytes) = Result(catching: { () throws(SystemError) in
                try ticks.read(atMost: MemoryLayout<UInt64>.size)
            })
        else { return }
        let wanted = state.boxes[box]?.untold ?? []
        state.boxes[box]?.untold = []
        for (path, kinds) in wanted {
            do {
                try take(path, kinds, box, &state)
            } catch {
                guard error.isExhausted, access(path, F_OK) == 0 else {
                    state.put(WatchEvent(path, name: nil, kinds: .gone), into: box)
                    continue
                }
                state.boxes[box]?.untold.append((path, kinds))
            }
        }
        if state.boxes[box]?.untold.isEmpty == true { state.boxes[box]?.ticks = nil }
        state.put(WatchEvent(nil, name: nil, kinds: .overflow), into: box)
    }
}

extension WatchInstance.State {
    /// Reads the kernel's events for every box, and wakes the boxes of other watches.
    fileprivate mutating func read(for asking: WatchInstance.BoxID) throws(SystemError) {
        guard let descriptor else { return }
        var woken: Set<WatchInstance.BoxID> = []
        while case .bytes(let bytes) = try descriptor.read(atMost: RawDescriptor.chunkBytes) {
            for (watch, name, kinds) in Self.decode(bytes) {
                for (box, path) in takers(of: watch, kinds) {
                    put(WatchEvent(path, name: name, kinds: kinds), into: box)
                    woken.insert(box)
                }
                if kinds.contains(.ended) { subscriptions[watch] = nil }
            }
        }
        for box in woken where box != asking { boxes[box]?.signal.signal() }
    }

    /// Whom a notice is for; one that more came than could be kept is for all.
    private func takers(
        of watch: Int32, _ kinds: WatchEvent.Kinds
    ) -> [(WatchInstance.BoxID, String?)] {
        if watch < 0 { return boxes.keys.map { ($0, nil) } }
        return (subscriptions[watch] ?? []).filter {
            !kinds.isDisjoint(with: $0.kinds.union(.gone))
        }.map { ($0.box, $0.path) }
    }

    fileprivate mutating func put(_ event: WatchEvent, into box: WatchInstance.BoxID) {
        boxes[box]?.events.append(event)
    }

    /// Ends the seats of a watch that are meant, and the watch with the last of them.
    fileprivate mutating func leave(
        _ watch: Int32, where isMeant: (WatchInstance.Subscription) -> Bool
    ) {
        guard var left = subscriptions[watch] else { return }
        left.removeAll(where: isMeant)
        subscriptions[watch] = left.isEmpty ? nil : left
        guard left.isEmpty, let descriptor else { return }
        // An ended watch needs no removal.
        _ = csys_inotify_remove(descriptor.number, watch)
    }

    private static func decode(
        _ bytes: [UInt8]
    ) -> [(watch: Int32, name: String?, kinds: WatchEvent.Kinds)] {
        let headBytes = 16
        var events: [(watch: Int32, name: String?, kinds: WatchEvent.Kinds)] = []
        bytes.withUnsafeBytes { buffer in
            var at = 0
            while at + headBytes <= buffer.count {
                let watch = buffer.loadUnaligned(fromByteOffset: at, as: Int32.self)
                let mask = buffer.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
                let count = Int(buffer.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                let end = at + headBytes + count
                guard end <= buffer.count else { return }
                let name = buffer[(at + headBytes)..<end].prefix { $0 != 0 }
                let text = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
                events.append((watch, text, WatchEvent.Kinds(rawValue: mask)))
                at = end
            }
        }
        return events
    }
}
