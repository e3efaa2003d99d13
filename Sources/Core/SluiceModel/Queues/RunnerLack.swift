/// Why no attached runner takes a task: which of them serves what instead.
package enum RunnerLack: Hashable, Sendable {
    /// Without attached runners.
    case nobody
    /// The attached runners serve other queues only.
    case queue(String, runners: Int, serve: [String])
    /// The runners of the queue handle other types only.
    case type(String, runners: Int, handle: [String])

    /// The lack of a runner for tasks of a type in a queue, where none of `runners` takes them.
    package init(of type: String, in queue: String, among runners: [ProcessRecord]) {
        guard !runners.isEmpty else {
            self = .nobody
            return
        }
        let serving = runners.filter { $0.serves(queue) }
        guard serving.isEmpty else {
            let types = Set(serving.flatMap { $0.types(in: queue) ?? [] }).sorted()
            self = .type(type, runners: serving.count, handle: types)
            return
        }
        let queues = Set(runners.flatMap { $0.queues ?? [] }).subtracting([queue]).sorted()
        self = .queue(queue, runners: runners.count, serve: queues)
    }

    /// `no runner for resize`.
    package var words: String {
        switch self {
        case .nobody: "no worker"
        case .queue(let name, _, _): "no worker for \(name)"
        case .type(let name, _, _): "no worker for type \(name)"
        }
    }

    /// `no runner for resize: the only runner serves mail and orders`; suggests a similar served
    /// name.
    package var sentence: String {
        switch self {
        case .nobody: "no worker is attached"
        case .queue(let name, let count, let names): phrase(name, count, "serve", names)
        case .type(let name, let count, let names): phrase(name, count, "handle", names)
        }
    }

    private func phrase(
        _ name: String, _ count: Int, _ verb: String, _ names: [String]
    ) -> String {
        let who = count == 1 ? "the only worker \(verb)s" : "the \(count) workers \(verb)"
        let near = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
        return "\(words): \(who) " + (names.isEmpty ? "nothing" : WordList.and(names)) + near
    }
}
