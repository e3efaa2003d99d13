import SluiceC

/// A watch on the machine's links, addresses and routes, by rtnetlink: it says that something
/// changed, and `WayOut.now()` what the way into the world is then.
package final class RouteWatch: Sendable {
    /// The descriptor: readable when something changed.
    package let descriptor: FileDescriptor

    /// Starts to watch; needs no rights. Throws where the system has no rtnetlink or a sandbox
    /// forbids it.
    package init() throws(SystemError) {
        let number = csys_route_socket(1)
        guard number >= 0 else { throw .last(.watch, path: "the routes") }
        descriptor = FileDescriptor(owning: number)
    }

    /// Takes the notices that came since the last call, without waiting; whether there were any.
    /// More than the kernel keeps for us are notices all the same.
    package func drain() throws(SystemError) -> Bool {
        var hasChanged = false
        while true {
            do {
                guard case .bytes = try descriptor.read(atMost: RawDescriptor.chunkBytes) else {
                    return hasChanged
                }
            } catch {
                // An overflow (ENOBUFS) replaces all lost messages; reading continues.
                guard error.isOverflow else { throw error }
            }
            hasChanged = true
        }
    }
}
