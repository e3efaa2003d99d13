public import SluiceModel
import SluiceSystem

/// The network of this machine as the kernel reports it, with an optional probe address: a thin
/// shell around `NetworkMeter`.
///
/// Its thread sleeps until a route changes. If the system does not report changes (a sandbox
/// without rtnetlink), the network counts as present until a handler or the probe reports
/// otherwise.
public final class SystemNetwork: NetworkSource {
    private let probe: ProbeAddress?
    private let listener = Protected<NetworkListener?>(nil)

    /// The machine's network, as its routes say it.
    public init() { probe = nil }

    /// The machine's network, with an optional probe address.
    package init(probe: ProbeAddress?) { self.probe = probe }

    deinit { stop() }

    /// Measures once and starts the thread that listens. Without anything to listen to, the first
    /// measurement stays valid.
    public func start(_ tell: @escaping @Sendable (NetworkState) -> Void) -> NetworkState {
        let watch = try? RouteWatch()
        let way = watch.map { _ in WayOut.now() }
        let meter = NetworkMeter(
            way: way, hasProbe: probe != nil, instant: SystemClock.monotonicMilliseconds())
        guard watch != nil || probe != nil, let wake = try? EventSignal() else {
            return meter.state
        }
        let started = NetworkListener(watch, wake, probe, tell)
        let state = meter.state
        guard (try? Thread(name: "sluice-network") { started.run(meter) }) != nil else {
            return state
        }
        listener.withLock { $0 = started }
        return state
    }

    /// Looks again: a handler found no network.
    public func ask() { listener.withLock { $0 }?.put(.ask) }

    /// Ends the thread and its calls.
    public func stop() { listener.withLock { $0 }?.put(.stop) }
}

/// The thread that listens; it is not waited for, since the look-up of a name may take its time.
private final class NetworkListener: @unchecked Sendable {
    enum Order { case ask, stop }

    private let wake: EventSignal
    private let orders = Protected<[Order]>([])
    private let probe: ProbeAddress?
    private let tell: @Sendable (NetworkState) -> Void
    // Touched by the thread only.
    private var watch: RouteWatch?
    private var attempt: ConnectionAttempt?

    init(
        _ watch: RouteWatch?, _ wake: EventSignal, _ probe: ProbeAddress?,
        _ tell: @escaping @Sendable (NetworkState) -> Void
    ) {
        (self.watch, self.wake, self.probe, self.tell) = (watch, wake, probe, tell)
    }

    func put(_ order: Order) {
        orders.withLock { $0.append(order) }
        wake.signal()
    }

    private var instant: Int64 { SystemClock.monotonicMilliseconds() }

    func run(_ beginning: NetworkMeter) {
        var meter = beginning
        func handle(_ input: NetworkMeter.Input) {
            for effect in meter.handle(input, instant: instant) { perform(effect) }
        }
        while let orders = wait(meter.sleepMilliseconds(instant: instant)) {
            // Process the routes first: a probe over a removed route shows nothing.
            if let change = routeChange(isAsked: !orders.isEmpty) { handle(change) }
            if !orders.isEmpty { handle(.asked) }
            handle(.tick)
            if let result = attempt?.result() {
                attempt = nil
                handle(.probed(result))
            }
        }
    }

    /// Sleeps until an event. Returns the orders, or `nil` to end.
    private func wait(_ milliseconds: Int64?) -> [Order]? {
        var interests = [PollInterest(wake.descriptor.number)] + (attempt?.interests ?? [])
        if let watch { interests.append(PollInterest(watch.descriptor.number)) }
        let timeout = milliseconds.map { Int(clamping: $0) }
        guard (try? Poll.wait(fds: interests, timeoutMilliseconds: timeout)) != nil else {
            return nil
        }
        wake.drain()
        let ordered = orders.withLock { orders -> [Order] in
            defer { orders = [] }
            return orders
        }
        return ordered.contains(.stop) ? nil : ordered
    }

    private func routeChange(isAsked: Bool) -> NetworkMeter.Input? {
        guard let watch else { return nil }
        do {
            return try watch.drain() || isAsked ? .way(WayOut.now()) : nil
        } catch {
            self.watch = nil
            return .unheard
        }
    }

    private func perform(_ effect: NetworkMeter.Effect) {
        switch effect {
        case .probe: attempt = probe.map { ConnectionAttempt(host: $0.host, port: $0.port) }
        case .abandonProbe: attempt = nil
        case .tell(let state): tell(state)
        }
    }
}
