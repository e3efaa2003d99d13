/// Writes lines with a level into the log of an attempt, where `sluice show`, a report and the
/// console have them: `warning: the server was slow`.
public struct TaskLogger: Sendable {
    /// How much a line matters, the least first.
    public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        /// Whether the first one matters less.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The minimum level to write.
    public let level: Level
    private let report: any ExecutionReport

    init(_ report: any ExecutionReport, level: Level) {
        (self.report, self.level) = (report, level)
    }

    /// Writes a line; below `level` it does not evaluate the message.
    public func log(_ level: Level, _ message: @autoclosure () -> String) {
        guard level >= self.level else { return }
        report.log("\(level): \(message())")
    }

    /// Writes a line of the level `debug`.
    public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }
    /// Writes a line of the level `info`.
    public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
    /// Writes a line of the level `warning`.
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
    /// Writes a line of the level `error`.
    public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
}
