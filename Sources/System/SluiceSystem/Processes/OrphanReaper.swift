import Glibc

/// Reaps orphaned processes if this process is the first of a container: processes left by its
/// handlers become its children, and would stay zombies.
package enum OrphanReaper {
    private struct State {
        /// The children of `ChildProcess`; their owners wait for them.
        var own: Set<Int32> = []
        var thread: Thread?
    }

    private static let state = Protected(State())

    /// Begins if this process is process 1; a second call does nothing.
    package static func beginAsFirstProcess() throws(SystemError) {
        guard ProcessIdentity.processID == 1 else { return }
        try begin()
    }

    /// Starts in any process.
    package static func begin() throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            guard state.thread == nil else { return }
            let signals = try SignalInbox([.child])
            state.thread = try Thread(name: "orphans") {
                while true {
                    reap()
                    let wait = [PollInterest(signals.descriptor.number)]
                    guard (try? Poll.wait(fds: wait, timeoutMilliseconds: nil)) != nil,
                        (try? signals.drain()) != nil
                    else { return }
                }
            }
        }
    }

    /// Starts a child that must not be reaped here.
    static func start(_ body: () throws(SystemError) -> Int32) throws(SystemError) -> Int32 {
        guard state.withLock({ $0.thread != nil }) else { return try body() }
        // The child may end before its number is known, so hold the lock.
        return try state.withLock { state throws(SystemError) -> Int32 in
            let processID = try body()
            state.own.insert(processID)
            return processID
        }
    }

    /// The owner of a child of `start` has reaped it.
    static func forget(_ processID: Int32) {
        state.withLock { state in
            if state.thread != nil { state.own.remove(processID) }
        }
    }

    /// Reaps every ended child without an owner.
    static func reap() {
        state.withLock { state in
            for child in zombies() where !state.own.contains(child) {
                waitpid(child, nil, WNOHANG)
            }
        }
    }

    /// The children of this process that have ended.
    private static func zombies() -> [Int32] {
        let own = "\(ProcessIdentity.processID)"
        return ((try? Files.list("/proc")) ?? []).compactMap { name in
            guard let processID = Int32(name),
                let line = ProcessIdentity.status(of: processID), line.count > 1,
                ProcessIdentity.isOver(line), line[1].elementsEqual(own.utf8)
            else { return nil }
            return processID
        }
    }
}
