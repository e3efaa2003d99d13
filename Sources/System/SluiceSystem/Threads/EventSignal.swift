import Glibc
import SluiceC

/// A flag that wakes a thread which polls for it; any thread may raise it.
package final class EventSignal: Sendable {
    /// The descriptor: readable while the flag is up.
    package let descriptor: FileDescriptor

    /// Makes a flag that is down.
    package init() throws(SystemError) {
        let number = csys_eventfd()
        guard number >= 0 else { throw .last(.event) }
        descriptor = FileDescriptor(owning: number)
    }

    /// Raises the flag.
    package func signal() {
        var one: UInt64 = 1
        // The only failure is a counter that is full, and then the flag is up.
        _ = write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }

    /// Takes the flag down; returns whether it was up.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        return read(descriptor.number, &count, MemoryLayout<UInt64>.size) > 0
    }
}
