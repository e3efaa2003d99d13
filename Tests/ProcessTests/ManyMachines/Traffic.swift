import SluiceC
import SluiceSystem
import SluiceTestSupport

/// The connections of a link; belongs to its thread.
final class Traffic {
    /// One connection from end to end.
    private struct Pair {
        let client: FileDescriptor
        let server: FileDescriptor
        var up = Stream()
        var down = Stream()
        var isBroken = false
    }

    private let listener: FileDescriptor
    private let target: (host: String, port: UInt16)
    private var chance: SeededChance
    private var pairs: [Pair] = []

    init(
        _ listener: FileDescriptor, to target: (host: String, port: UInt16), _ chance: SeededChance
    ) {
        self.listener = listener
        self.target = target
        self.chance = chance
    }

    private var instant: Int64 { SystemClock.monotonicMilliseconds() }

    func breakAll() {
        for pair in pairs { Self.close(pair, withError: true) }
        pairs = []
    }

    /// Waits until something is to be done, and does it.
    func pass(_ ways: Link.Ways, wake: EventSignal) {
        // While one way is shut no connection would come about.
        var waits = [
            PollInterest(wake.descriptor.number),
            PollInterest(ways.isShut ? -1 : listener.number),
        ]
        let now = instant
        var sleep: Int64?
        for pair in pairs {
            waits.append(
                Self.interest(pair.client, out: pair.up, in: pair.down, ways.up, ways.down))
            waits.append(
                Self.interest(pair.server, out: pair.down, in: pair.up, ways.down, ways.up))
            for (stream, way) in [(pair.up, ways.up), (pair.down, ways.down)] where !way.isShut {
                if let due = stream.due, due > now { sleep = min(sleep ?? .max, due - now) }
            }
        }
        guard let ready = try? Poll.wait(fds: waits, timeoutMilliseconds: sleep.map(Int.init))
        else { return }
        let found = Dictionary(ready.map { ($0.descriptor, $0) }) { first, _ in first }
        if found[wake.descriptor.number] != nil { _ = wake.drain() }
        if found[listener.number] != nil { accept() }
        for index in pairs.indices { serve(index, ways, found) }
        for pair in pairs where pair.isBroken { Self.close(pair, withError: false) }
        pairs.removeAll(where: \.isBroken)
    }

    /// The events to poll at one end: `out` is its outgoing stream, `in` its incoming one.
    private static func interest(
        _ end: FileDescriptor, out: Stream, in inward: Stream, _ outWay: Way, _ inWay: Way
    ) -> PollInterest {
        let reads = !outWay.isShut && out.hasRoom && !out.isEnded
        let writes =
            !inWay.isShut && (inward.due.map { $0 <= SystemClock.monotonicMilliseconds() } ?? false)
        // Even an empty interest would report a closed peer, so pass -1.
        return PollInterest(reads || writes ? end.number : -1, readable: reads, writable: writes)
    }

    private func accept() {
        let number = csys_accept(listener.number)
        guard number >= 0 else { return }
        let client = FileDescriptor(owning: number)
        var sockets: [Int32] = [-1]
        guard (try? client.setNonBlocking(true)) != nil,
            csys_connect_begin(target.host, String(target.port), &sockets, 1) == 1
        else { return client.close() }
        pairs.append(Pair(client: client, server: FileDescriptor(owning: sockets[0])))
    }

    private func serve(_ index: Int, _ ways: Link.Ways, _ found: [Int32: PollReady]) {
        let (client, server) = (pairs[index].client, pairs[index].server)
        do {
            if found[client.number]?.readable == true, !ways.up.isShut {
                try take(from: client, into: \.up, index, ways.up)
            }
            if found[server.number]?.readable == true, !ways.down.isShut {
                try take(from: server, into: \.down, index, ways.down)
            }
            let now = instant
            if !ways.up.isShut {
                try pairs[index].up.deliver(at: now) { try server.writeSome($0) }
            }
            if !ways.down.isShut {
                try pairs[index].down.deliver(at: now) { try client.writeSome($0) }
            }
        } catch {
            pairs[index].isBroken = true
        }
        let pair = pairs[index]
        if pair.up.isEnded && pair.up.isEmpty || pair.down.isEnded && pair.down.isEmpty {
            pairs[index].isBroken = true
        }
    }

    private func take(
        from end: FileDescriptor, into stream: WritableKeyPath<Pair, Stream>, _ index: Int,
        _ way: Way
    ) throws {
        guard pairs[index][keyPath: stream].hasRoom, !pairs[index][keyPath: stream].isEnded
        else { return }
        switch try end.read(atMost: 65536) {
        case .bytes(let bytes):
            pairs[index][keyPath: stream].put(bytes, way: way, at: instant, chance: &chance)
        case .end: pairs[index][keyPath: stream].isEnded = true
        case .nothingYet: break
        }
    }

    private static func close(_ pair: Pair, withError: Bool) {
        if withError {
            _ = csys_break_on_close(pair.client.number)
            _ = csys_break_on_close(pair.server.number)
        }
        pair.client.close()
        pair.server.close()
    }
}
