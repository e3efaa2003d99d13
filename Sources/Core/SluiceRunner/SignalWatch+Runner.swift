package import SluicePlatform

extension SignalWatch {
    /// Stops a runner: the first signal asks it to stop, the second stops running attempts
    /// immediately (A6). With `gracefulSignals` 0 the first does so already.
    package convenience init(stopping runner: Runner, gracefulSignals: Int = 1) throws {
        try self.init { count in
            runner.stop(isUrgent: count > gracefulSignals)
            return true
        }
    }
}
