import SluiceControl
import SluiceModel

/// The tasks of `timeline`, and the form of its picture.
struct TimelineCall: Hashable, Sendable {
    /// The queue; nil where tasks are named.
    var queue: String?
    var tasks: [TaskReference] = []
    /// The slots of the workers, in place of tasks.
    var isOfWorkers = false
    /// A run of the queue, counted back from the newest.
    var run: Int?
    var group: String?
    /// Only attempts that ended in so many milliseconds.
    var last: Int64?
    /// Draws with ASCII alone.
    var isASCII = false
    /// How many columns the picture has; nil for those of the terminal.
    var width: Int?
}

extension CommandLineParser {
    static func timeline(_ arguments: Arguments) throws(QueueError) -> TimelineCall {
        var call = TimelineCall(
            run: try arguments.count("--run", atLeast: 0), group: arguments.text("--group"),
            last: try arguments.milliseconds("--last"), isASCII: arguments.has("--ascii"),
            width: try arguments.count("--width", atLeast: TimelineCall.leastWidth))
        for value in arguments.values {
            if (try? TaskReference(value)) == nil, !looksLikeTask(value) {
                // A word that can be no task is a queue.
                guard call.queue == nil else {
                    throw .usage("\"\(value)\" is a second queue", of: arguments.command)
                }
                call.queue = value
            } else {
                call.tasks.append(try arguments.task(value, of: "TASK"))
            }
        }
        if let queue = call.queue { try Names.check(queue, of: "queue") }
        if arguments.has("--workers") {
            guard call.queue == nil, call.tasks.isEmpty, call.run == nil, call.group == nil else {
                throw .usage("--workers is for all queues", of: arguments.command)
            }
            call.isOfWorkers = true
            return call
        }
        guard (call.queue == nil) != call.tasks.isEmpty else {
            let words = call.queue == nil ? "a queue or tasks are missing" : "a queue or tasks"
            throw .usage(
                call.queue == nil ? words : "it takes \(words), not both", of: arguments.command)
        }
        let options = [
            call.run.map { _ in "--run" }, call.group.map { _ in "--group" },
            call.last.map { _ in "--last" },
        ].compactMap(\.self)
        if let option = options.first, call.queue == nil {
            throw .usage("\(option) is for a queue", of: arguments.command)
        }
        if options.count > 1 {
            throw .usage(
                "\(options.joined(separator: " and ")) exclude each other",
                of: arguments.command)
        }
        return call
    }
}

extension TimelineCall {
    /// A picture of fewer columns has no bars.
    fileprivate static let leastWidth = 40

    /// Which tasks it is about, at a moment.
    func scope(_ reading: Reading) throws -> TaskTimeline.Scope {
        if isOfWorkers { return .workers(last: last ?? TaskTimeline.usualLast) }
        guard let queue else {
            let ids = try tasks.map { try reading.store.resolve($0) }
            return ids.count == 1 ? .attempts(ids[0]) : .tasks(ids)
        }
        if let run { return .run(queue, back: run) }
        if let group { return .group(group, queue: queue) }
        return .queue(queue, since: last.map { reading.real + -$0 })
    }
}
