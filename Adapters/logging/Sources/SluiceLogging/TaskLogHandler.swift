public import Logging
public import Sluice

extension TaskContext {
    /// A logger of swift-log whose lines are in the log of the attempt. Its metadata names the
    /// task.
    public func swiftLogger(label: String = "sluice.task") -> Logger {
        var logger = Logger(label: label) { _ in TaskLogHandler(self.logger) }
        logger[metadataKey: "queue"] = "\(execution.task.queue)"
        logger[metadataKey: "task"] = "\(execution.task.id)"
        logger[metadataKey: "attempt"] = "\(execution.number)"
        return logger
    }
}

/// Writes the lines of swift-log into the log of an attempt.
///
/// The log of an attempt has four levels: `trace` becomes `debug`, `notice` becomes `info`, and
/// `critical` becomes `error`. Metadata follows the message as `name=value`, sorted by name.
public struct TaskLogHandler: LogHandler {
    /// The minimum level. `QueueClient.logLevel` is a second limit.
    public var logLevel: Logger.Level = .trace
    /// The metadata of each line.
    public var metadata: Logger.Metadata = [:]
    private let target: TaskLogger

    /// A handler that writes to the logger of a task.
    public init(_ target: TaskLogger) { self.target = target }

    /// A value of the metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line. The attempt's own log has its task, so the metadata that `swiftLogger` sets
    /// is left out.
    public func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?,
        source: String, file: String, function: String, line: UInt
    ) {
        let all = self.metadata.merging(metadata ?? [:]) { $1 }
            .filter { !["queue", "task", "attempt"].contains($0.key) }
        let words = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        target.log(Self.level(level), "\(message)\(words)")
    }

    private static func level(_ level: Logger.Level) -> TaskLogger.Level {
        switch level {
        case .trace, .debug: .debug
        case .info, .notice: .info
        case .warning: .warning
        case .error, .critical: .error
        }
    }
}
