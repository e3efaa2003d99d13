import Glibc

/// The events to wait for on one descriptor.
package struct PollInterest: Equatable, Sendable {
    /// The descriptor; a negative one is ignored.
    package var descriptor: Int32
    /// Whether to wait for input (or the end of it).
    package var readable: Bool
    /// Whether to wait for room to write.
    package var writable: Bool

    /// An interest in one descriptor, in input unless told otherwise.
    package init(_ descriptor: Int32, readable: Bool = true, writable: Bool = false) {
        self.descriptor = descriptor
        self.readable = readable
        self.writable = writable
    }
}

/// The events found by `Poll.wait` on one descriptor.
package struct PollReady: Equatable, Sendable {
    package let descriptor: Int32
    /// A read would not wait: there is input, or the end, or an error.
    package let readable: Bool
    /// A write would not wait.
    package let writable: Bool
    /// The other side has closed.
    package let hungUp: Bool
    /// The descriptor is in error or not open at all.
    package let failed: Bool
}

/// Waiting for descriptors.
package enum Poll {
    /// Waits until a descriptor is ready or the time has passed (`nil`: no limit).
    ///
    /// Returns the ready ones in the order of `fds`; empty after the time limit or a signal.
    package static func wait(
        fds: [PollInterest], timeoutMilliseconds: Int?
    ) throws(SystemError) -> [PollReady] {
        var entries = fds.map { interest in
            let events = (interest.readable ? POLLIN : 0) | (interest.writable ? POLLOUT : 0)
            return pollfd(fd: interest.descriptor, events: Int16(events), revents: 0)
        }
        let timeout = timeoutMilliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
        let count = poll(&entries, nfds_t(entries.count), timeout)
        if count < 0 {
            if errno == EINTR { return [] }
            throw .last(.poll)
        }
        return entries.compactMap { entry in
            let found = Int32(entry.revents)
            guard found != 0 else { return nil }
            let broken = found & (POLLERR | POLLNVAL) != 0
            return PollReady(
                descriptor: entry.fd,
                readable: found & (POLLIN | POLLHUP) != 0 || broken,
                writable: found & POLLOUT != 0,
                hungUp: found & POLLHUP != 0,
                failed: broken)
        }
    }
}
