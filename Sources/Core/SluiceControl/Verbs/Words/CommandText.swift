package import SluiceModel
import SluiceStore

/// Writes a verb as the equivalent command, which the message line shows after a key.
package struct CommandText {
    package let names: TaskNames
    /// The base moment of relative times.
    package let now: Timestamp

    /// The filter that found the tasks, if any.
    private let filter: TaskFilter?
    /// Whether to list all tasks, without a limit.
    private let listsAll: Bool

    /// Creates a formatter for names, relative times and a filter.
    package init(
        names: TaskNames, now: Timestamp, filter: TaskFilter? = nil, listsAll: Bool = false
    ) {
        self.names = names
        self.now = now
        self.filter = filter
        self.listsAll = listsAll
    }

    /// Without `sluice` before it.
    package func of(_ verb: Verb) -> String { verb.order.command(in: self) }

    package func of(_ request: StepRequest) -> String {
        switch request {
        case .queue(let name, let count):
            ShellWord.command("step", name, count == 1 ? "" : " -n \(count)")
        case .task(let target): "step --task \(names.word(target.id))"
        }
    }

    package func of(_ fix: Blocker.Fix) -> String {
        switch Remedy(fix) {
        case .verb(let verb): of(verb)
        case .step(let request): of(request)
        case .why(let id): "why \(names.word(id))"
        case .elsewhere(let command): command
        }
    }

    /// The option that confirms a protected store's name; empty without one.
    static func option(_ storeName: String?) -> String {
        storeName.map { " --store-name \(ShellWord.quoted($0))" } ?? ""
    }

    /// Tasks as a command takes them: up to a few names, else a filter. A filter too long for a
    /// line becomes the placeholder `TASK…`, which is plainly not a command.
    package func tasks(_ ids: [TaskID], takesOne: Bool = false) -> String {
        if listsAll || ids.count <= (takesOne ? 1 : Self.namedAtMost) {
            return ids.map(names.word).joined(separator: " ")
        }
        let found = filter ?? (names.isEmpty ? TaskFilter(numbers: ids) : nil)
        let text = found.map { "--filter \(ShellWord.quoted($0.description))" }
        let isShort = filter != nil || (text?.utf8.count ?? .max) <= Self.filterAtMost
        return text.flatMap { isShort ? $0 : nil } ?? "TASK…"
    }

    private static let namedAtMost = 6
    private static let filterAtMost = 60

    /// The time until a moment, in whole seconds.
    func wait(until moment: Timestamp) -> String {
        DurationText.compact(max(0, (moment - now + 500) / 1000 * 1000))
    }
}
