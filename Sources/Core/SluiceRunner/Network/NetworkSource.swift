public import SluiceModel
import SluicePlatform

/// Who measures a runner's network (B6); each runner has its own.
public protocol NetworkSource: Sendable {
    /// Measures once, at once, and from then on tells each change, and that there is a network
    /// whenever that is found anew; from any thread, until `stop`.
    func start(_ tell: @escaping @Sendable (NetworkState) -> Void) -> NetworkState
    /// A handler found no network: measure again.
    func ask()
    /// Tells nothing more.
    func stop()
}

/// A host and port that answers where there is a network: `example.org:443`, `[::1]:80`.
package struct ProbeAddress: Hashable, Sendable, CustomStringConvertible {
    private let place: HostPort
    /// The name or address of the host.
    package var host: String { place.host }
    /// Its TCP port.
    package var port: UInt16 { place.port }

    /// An address from its text; nil where the text is none.
    package init?(_ text: String) {
        guard let place = HostPort(text), place.port > 0 else { return nil }
        self.place = place
    }

    /// The text that it is written as.
    package var description: String { place.description }
}
