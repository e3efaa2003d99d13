public import SluiceModel
import SluiceSystem

/// Who measures a runner's network (B6); each runner has its own.
public protocol NetworkSource: Sendable {
    /// Measures immediately, then calls `tell` on any thread until `stop`: for each change, and
    /// whenever a measurement finds the network present.
    func start(_ tell: @escaping @Sendable (NetworkState) -> Void) -> NetworkState
    /// A handler found no network: measure again.
    func ask()
    func stop()
}

/// A host and port that answers if there is a network: `example.org:443`, `[::1]:80`.
package struct ProbeAddress: Hashable, Sendable, CustomStringConvertible {
    private let place: HostPort
    package var host: String { place.host }
    package var port: UInt16 { place.port }

    /// Parses an address; `nil` if the text is invalid.
    package init?(_ text: String) {
        guard let place = HostPort(text), place.port > 0 else { return nil }
        self.place = place
    }

    package var description: String { place.description }
}
