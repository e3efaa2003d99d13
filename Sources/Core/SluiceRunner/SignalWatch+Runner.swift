package import SluicePlatform

extension SignalWatch {
    /// Stops a runner: the first signal asks it to, the second tells what runs to stop now (A6);
    /// with `gracefulSignals` 0 the first already does.
    package convenience init(stopping runner: Runner, gracefulSignals: Int = 1) throws {
        try self.init { count in
            runner.stop(isUrgent: count > gracefulSignals)
            return true
        }
    }
}
