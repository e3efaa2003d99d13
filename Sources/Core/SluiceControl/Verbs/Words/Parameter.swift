import SluiceModel

/// An option of a verb on tasks, described once: how it is written, read and spelled.
///
/// The parameter has no constraint: the runtime would search for each verb's conformance at the
/// start of each program.
package struct Parameter<Verb>: Sendable {
    package typealias Place<Value> = any WritableKeyPath<Verb, Value> & Sendable

    let option: Command.Option
    /// Takes it from a command line.
    let read: @Sendable (inout Verb, Arguments) throws(QueueError) -> Void
    /// The words of a command for this option; empty if unset.
    let words: @Sendable (Verb) -> [String]
}

extension Parameter {
    static func flag(_ name: String, _ help: String, _ place: Place<Bool>) -> Parameter {
        Parameter(option: Command.Option(name, .flag, help)) { verb, arguments in
            verb[keyPath: place] = arguments.has(name)
        } words: {
            $0[keyPath: place] ? [name] : []
        }
    }

    /// A length of time, in milliseconds.
    static func duration(_ name: String, _ help: String, _ place: Place<Int64?>) -> Parameter {
        Parameter(
            option: Command.Option(name, .duration, help)
        ) { (verb, arguments) throws(QueueError) in
            verb[keyPath: place] = try arguments.milliseconds(name)
        } words: {
            $0[keyPath: place].map { [name, DurationText.compact($0)] } ?? []
        }
    }

    /// The time over which the tasks are spread.
    static func over(_ place: Place<Int64?>) -> Parameter {
        duration("--over", "spread: due one after the other, evenly over this time", place)
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ help: String, _ place: Place<Choice?>
    ) -> Parameter {
        let words = Choice.allCases.map(\.rawValue)
        return Parameter(
            option: Command.Option(name, .choice(words), help)
        ) { (verb, arguments) throws(QueueError) in
            verb[keyPath: place] = try arguments.choice(name)
        } words: {
            $0[keyPath: place].map { [name, $0.rawValue] } ?? []
        }
    }
}
