import SluiceModel

/// A part of a verb that is one commit (D10).
struct BulkSlice: Sendable {
    /// The answer of the commit.
    struct Outcome: Sendable {
        var answer: Answer
        /// The event that the commit wrote, if it wrote one.
        var event: Int64?
        /// The events that an undo still has to take back, the newest first.
        var undoRest: [Int64] = []
        /// Whether members of a start that ended still follow it (T2).
        var leavesWakes = false
    }

    /// The verb on the tasks of this part.
    var verb: Verb
    /// The places of these tasks among all that the verb names.
    var places: Range<Int>
    /// How many tasks the verb names.
    var total: Int
    /// The first event of the bulk, where an earlier slice wrote one.
    var bulk: Int64?
    var began: Timestamp
    /// The event whose undo an earlier slice began and this slice continues.
    var restOfUndo: Int64?

    init(
        _ verb: Verb, places: Range<Int> = 0..<0, of total: Int = 0, bulk: Int64? = nil,
        began: Timestamp, restOfUndo: Int64? = nil
    ) {
        (self.verb, self.places, self.total) = (verb, places, total)
        (self.bulk, self.began, self.restOfUndo) = (bulk, began, restOfUndo)
    }

    init(whole verb: Verb, began: Timestamp) {
        let total = verb.targets.count
        self.init(verb, places: 0..<total, of: total, began: began)
    }

    /// Whether the verb is this one commit.
    var isWhole: Bool { places.count == total && restOfUndo == nil }

    /// The moment of the task at that place of the slice, where the verb is spread over a time: the
    /// tasks of the whole verb at equal distances, the first one at `start`.
    func moment(from start: Timestamp, over milliseconds: Int64, at place: Int) -> Timestamp {
        let product = milliseconds.multipliedFullWidth(by: Int64(places.lowerBound + place))
        return start + Int64(max(1, total)).dividingFullWidth(product).quotient
    }
}
