public import SluiceModel
import SluiceStore

/// Another place in the running order that the screen shows (Q1), or another queue.
package struct MoveVerb: TaskVerb {
    package enum Destination: Hashable, Sendable {
        case place(MovePlace)
        case queue(String)
    }
    package static let name = "move"
    package static let help = "another place in the order, or another queue"
    package static let participle = "moved"
    package static let options = [
        Command.Option("--before", .task, "before this one"),
        Command.Option("--after", .task, "after this one"),
        Command.Option("--first", .flag, "first of all"),
        Command.Option("--last", .flag, "last of all"),
        Command.Option("--queue", .queue, "into another queue"),
    ]
    package static let takesOne = true
    package static let states: Set<TaskState.Name> = [.waiting]
    package var destination: Destination

    package var pastTense: String {
        switch destination {
        case .place: Self.participle
        case .queue(let name): "moved to \(name)"
        }
    }

    package func words(in text: CommandText) -> [String] {
        switch destination {
        case .place(.before(let id)): ["--before", text.names.word(id)]
        case .place(.after(let id)): ["--after", text.names.word(id)]
        case .place(.first): ["--first"]
        case .place(.last): ["--last"]
        case .queue(let name): ["--queue", name]
        }
    }

    package func check(in context: VerbContext) throws {
        if case .queue(let name) = destination { _ = try context.store.requireQueue(name) }
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        guard task.waiting != nil else { throw task.refusal("moved") }
        switch destination {
        case .place(let place): try TaskPlacement(context: context).move(task, to: place)
        case .queue(let name): try TaskPlacement(context: context).move(task, toQueue: name)
        }
    }
}

extension MoveVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        let options = words.options
        var places: [MovePlace] = []
        if let task = try words.task("--before") { places.append(.before(task)) }
        if let task = try words.task("--after") { places.append(.after(task)) }
        if options.has("--first") { places.append(.first) }
        if options.has("--last") { places.append(.last) }
        if let queue = try options.name("--queue", of: "queue") {
            guard places.isEmpty || places == [.last] else {
                throw .usage(
                    "a task arrives last in another queue; move it there, then to its place",
                    of: options.command)
            }
            destination = .queue(queue)
            return
        }
        guard let place = places.first, places.count == 1 else {
            throw .usage(
                "one of --before TASK, --after TASK, --first, --last, --queue Q is needed",
                of: options.command)
        }
        guard !options.has("--filter") else {
            throw .usage(
                "--filter goes with --queue; a place is for one task", of: options.command)
        }
        destination = .place(place)
    }
}

/// The new place of a moved task, in the displayed running order (Q1).
public enum MovePlace: Hashable, Sendable {
    case before(TaskID)
    case after(TaskID)
    case first
    case last
}

extension Verb {
    /// Puts a task at another place in its queue (Q1).
    public static func move(_ target: TaskTarget, _ place: MovePlace) -> Verb {
        on([target], MoveVerb(destination: .place(place)))
    }

    /// Puts tasks last in another queue.
    public static func moveToQueue(_ targets: [TaskTarget], _ queue: String) -> Verb {
        on(targets, MoveVerb(destination: .queue(queue)))
    }
}
