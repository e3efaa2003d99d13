public import QueueControl
public import QueueModel

/// How far a search through payloads has come: what it found, and where it goes on.
///
/// A search is of its moment: its rows live on, and what came in since is found by the next one.
public struct SearchState: Hashable, Sendable {
    /// What was found, in the running order.
    public var found: [TaskID] = []
    /// Behind this it goes on; nil for the list's beginning.
    public var place: ListPlace?
    /// How many tasks were looked at.
    public var looked = 0
    /// Whether all of the list was looked at.
    public var isDone = false

    /// A search that begins.
    public init() {}
}
