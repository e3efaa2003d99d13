import Glibc
import SluiceC

/// The first hops that lead from this machine into the world; none if it has no network.
package struct WayOut: Hashable, Sendable {
    /// The first hop of a packet to the internet.
    package struct Hop: Hashable, Sendable {
        /// The number of the link; 0 where the system only says that there is a way.
        package var interface: Int32
        /// The address of the gateway; empty where the link itself is the way.
        package var gateway: [UInt8]

        package init(interface: Int32, gateway: [UInt8]) {
            self.interface = interface
            self.gateway = gateway
        }
    }

    /// The hops by IPv4, then those by IPv6.
    package var hops: [Hop]

    package init(_ hops: [Hop]) { self.hops = hops }

    package var isThere: Bool { !hops.isEmpty }

    /// The current route according to the kernel; nothing is sent.
    ///
    /// Without permission to query routes it connects an unsent datagram socket, which does not
    /// detect an unplugged cable.
    package static func now() -> WayOut {
        let number = csys_route_socket(0)
        let kernel = number >= 0 ? FileDescriptor(owning: number) : nil
        let hops = RouteMessage.Family.allCases.flatMap { family -> [Hop] in
            if let kernel, case .hops(let hops) = ask(kernel, family) { return hops }
            let number = family == .four ? AF_INET : AF_INET6
            return csys_has_route(number) == 1 ? [Hop(interface: 0, gateway: [])] : []
        }
        return WayOut(hops)
    }

    /// The kernel has answered once the query is written.
    private static func ask(
        _ kernel: FileDescriptor, _ family: RouteMessage.Family
    ) -> RouteMessage.Answer {
        let question = RouteMessage.question(family)
        guard (try? kernel.writeSome(question[...])) == question.count,
            case .bytes(let bytes) = try? kernel.read(atMost: RawDescriptor.chunkBytes)
        else { return .unknown }
        return RouteMessage.answer(bytes)
    }
}
