/// The rules of a store for handlers whose entries name none, and the entries that name their own.
package final class HandlerDefaults {
    /// The HTTP statuses that give a task up; nil for all of 3xx and 4xx.
    package let giveUpOn: Set<Int>?
    /// The types with statuses of their own, in the order of the file.
    package private(set) var own: [(type: String, giveUpOn: Set<Int>)] = []

    /// Those of a store, or the usual ones.
    package init(giveUpOn: Set<Int>? = nil) { self.giveUpOn = giveUpOn }

    /// The statuses for an entry.
    func giveUpOn(_ given: Set<Int>?, type: String) -> Set<Int>? {
        guard let given else { return giveUpOn }
        own.append((type, given))
        return given
    }
}
