/// A system whose queues a process of this program holds.
protocol QueueKeeping {
    /// Holds a queue in this process until the hold ends.
    func keep(_ queue: String) throws
}

/// Starts the process that holds a queue by guards; the store's address comes to it out of the
/// environment, where no other user reads it.
package struct KeeperLauncher: Sendable {
    /// Starts it for a queue of a system.
    package var launch: @Sendable (_ system: String, _ queue: String) throws -> Void

    /// A way to start it.
    package init(launch: @escaping @Sendable (_ system: String, _ queue: String) throws -> Void) {
        self.launch = launch
    }
}
