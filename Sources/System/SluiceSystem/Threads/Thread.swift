import Glibc
import SluiceC

/// A separate thread for blocking work; the cooperative pool must never block.
package final class Thread: @unchecked Sendable {
    private let handle: pthread_t
    private let joined = Protected(false)

    /// Starts a thread that runs `body` once.
    ///
    /// The name shows in ps and debuggers, cut to 15 bytes.
    package init(
        name: String, stackBytes: Int = 1 << 20, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, max(stackBytes, 65536))
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, &attributes,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                csys_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError(.thread, path: name, reason: .code(code))
        }
        self.handle = handle
    }

    deinit {
        if !joined.withLock({ $0 }) { pthread_detach(handle) }
    }

    /// Whether the caller runs on this thread.
    package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

    /// A number that identifies the calling thread among all running ones.
    package static var currentNumber: UInt { UInt(pthread_self()) }

    /// Lets the calling thread sleep for so long, or a little longer.
    package static func pause(microseconds: UInt32) { usleep(microseconds) }

    /// Waits until the body has returned; a second call does nothing.
    package func join() {
        let first = joined.withLock { already -> Bool in
            defer { already = true }
            return !already
        }
        if first { pthread_join(handle, nil) }
    }
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}
