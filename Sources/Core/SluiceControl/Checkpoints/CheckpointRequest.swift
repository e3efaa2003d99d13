package import SluiceModel
import SluiceStore

/// A request to set a checkpoint.
public struct CheckpointRequest: Hashable, Sendable {
    /// Its name; nil for one that is free.
    public var name: String?
    /// Whether attached programs of older versions, which would keep no images, may be ended.
    package var endsOlder = false

    /// A checkpoint of a name, or of one that is free.
    public init(_ name: String? = nil) { self.name = name }
}

extension CheckpointRequest {
    /// Reads the words of `checkpoint`.
    package init(_ arguments: Arguments) throws(QueueError) {
        self.init(try arguments.atMostOne())
        if let name { try Checkpoint.check(name: name) }
        endsOlder = arguments.has("--yes")
    }
}

/// Takes a checkpoint (G5).
extension CheckpointRequest: DebuggerVerb {
    package var verbName: String { "checkpoint" }
    package var debuggerPart: DebuggerPart? { endsOlder ? nil : .checkpoints }
    package var answers: AnswerPart { .checkpoints }

    package func command(in text: CommandText) -> String {
        let word = name.map { " \(ShellWord.quoted($0))" } ?? ""
        return "checkpoint\(word)\(endsOlder ? " --yes" : "")"
    }

    package func perform(in context: VerbContext) throws {
        try DebuggerPart.checkpoints.refuseOlder(
            among: context.store.processes(), isAgreed: endsOlder)
        let known = try context.store.storeRecord().checkpoints
        let name = self.name ?? known.freeName
        try Checkpoint.check(name: name)
        guard known[name] == nil else {
            throw QueueError(
                .badName, "there is a checkpoint \"\(name)\" already",
                fix: "sluice \(ShellWord.command("checkpoint remove", name)) ends it")
        }
        var undo = UndoRecord()
        undo.checkpoints = [.init(taken: known.last + 1, name: name)]
        let sequence = try context.journal(
            "checkpoint", queue: nil, "checkpoint \(name) taken by \(context.person)", undo: undo)
        context.answer.checkpoints = [
            try context.mutation.take(checkpoint: name, by: context.person, sequence: sequence)
        ]
    }
}

extension Verb {
    /// Saves a state that the store can return to.
    public static func takeCheckpoint(_ request: CheckpointRequest) -> Verb { Verb(request) }
}

extension Action.ID {
    package static let takeCheckpoint = Self("checkpoint")
}

extension Action {
    static let takeCheckpoint = Action(
        .takeCheckpoint, key: "K", .store, "checkpoint",
        "save a state that the store can return to",
        Command(
            "checkpoint", "[NAME]", [.text("NAME")],
            options: [
                Command.Option("--yes", .flag, "end attached programs that are too old for it")
            ], changes: true)
    ) { words throws(QueueError) in
        .takeCheckpoint(try CheckpointRequest(words))
    }
}
