/// Why an action cannot be done to a task of another system, and what leads on.
package struct ActionRefusal: Hashable, Sendable {
    /// The next step after a refusal.
    package enum Way: Hashable, Sendable {
        /// Another action on the same task, and its effect.
        case action(Action.ID, effect: String)
        /// A sentence, or a command of the system itself.
        case sentence(String)
    }
    /// A sentence without its subject: `runs: it cannot be skipped`.
    package var reason: String
    /// The next step; `nil` if the reason suffices.
    package var way: Way?

    package init(_ reason: String, way: Way? = nil) { (self.reason, self.way) = (reason, way) }
}
