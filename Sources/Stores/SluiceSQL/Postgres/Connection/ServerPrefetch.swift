/// The questions to send with the beginning of a transaction: two of the last four transactions of
/// its kind asked them, with the same values. Transactions are of one kind if they begin with the
/// same statement.
///
/// A worker's commits are alike, and so are its looks, so their first questions cost no round trip.
/// Its looks for dead processes, on the same connection, are of another kind.
struct ServerPrefetch {
    struct Question: Hashable {
        let statement: ServerStatement
        let values: [ServerValue]

        static func == (left: Question, right: Question) -> Bool {
            left.statement === right.statement && left.values == right.values
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(statement))
            hasher.combine(values)
        }
    }

    /// The highest number of questions noted of one transaction.
    private static let limit = 12
    /// A question of this many remembered transactions is sent ahead.
    private static let often = 2
    /// The number of transactions of each kind that are remembered.
    private static let remembered = 4
    /// The number of kinds that are remembered.
    private static let kinds = 16

    /// The reads of the last transactions of a kind, and those expected of the next one.
    private struct Habit {
        var before: [[Question]] = []
        var again: [Question] = []

        mutating func record(_ asked: [Question]) {
            before.append(asked)
            if before.count > ServerPrefetch.remembered { before.removeFirst() }
            var counts: [Question: Int] = [:]
            for question in before.joined() { counts[question, default: 0] += 1 }
            var seen: Set<Question> = []
            again = before.joined().reversed().filter {
                counts[$0] ?? 0 >= ServerPrefetch.often && seen.insert($0).inserted
            }
        }
    }

    private var habits: [ObjectIdentifier?: Habit] = [:]
    private var kind: ObjectIdentifier?
    private var asked: [Question] = []

    /// Begins a transaction by its first statement; returns the questions to send with it. A
    /// transaction without questions does not change the prediction.
    mutating func begin(with first: ServerStatement?) -> [Question] {
        if !asked.isEmpty {
            if habits[kind] == nil, habits.count >= Self.kinds { habits.removeAll() }
            habits[kind, default: Habit()].record(asked)
            asked.removeAll(keepingCapacity: true)
        }
        kind = first.map(ObjectIdentifier.init)
        return habits[kind]?.again ?? []
    }

    /// Records a query on data that the transaction has not changed.
    mutating func record(_ statement: ServerStatement, _ values: [ServerValue]) {
        guard asked.count < Self.limit else { return }
        let question = Question(statement: statement, values: values)
        if !asked.contains(question) { asked.append(question) }
    }

    /// A link begins anew.
    mutating func forget() { self = ServerPrefetch() }
}
