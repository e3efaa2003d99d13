/// The questions that come with the beginning of a transaction: those that two of the last four
/// asked about what they found, in the same words and with the same values.
///
/// A worker's commits are alike, and so are its looks: what each of them asks first costs no way to
/// the server and back of its own.
struct ServerForesight {
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
    /// A question is asked ahead where so many of the last transactions asked it.
    private static let often = 2
    /// The number of transactions that are remembered. Looks and clean-ups alternate on one
    /// connection, so two in succession are often of different kinds.
    private static let remembered = 4

    private var before: [[Question]] = []
    private var asked: [Question] = []

    private var again: [Question] = []

    /// A transaction begins; gives what is asked with its beginning. One that asked nothing says
    /// nothing about the next.
    mutating func begin() -> [Question] {
        guard !asked.isEmpty else { return again }
        before.append(asked)
        if before.count > Self.remembered { before.removeFirst() }
        asked.removeAll(keepingCapacity: true)
        var counts: [Question: Int] = [:]
        for question in before.joined() { counts[question, default: 0] += 1 }
        var seen: Set<Question> = []
        again = before.joined().reversed().filter {
            counts[$0] ?? 0 >= Self.often && seen.insert($0).inserted
        }
        return again
    }

    /// The transaction asks about what it found, not about what it has changed itself.
    mutating func note(_ statement: ServerStatement, _ values: [ServerValue]) {
        guard asked.count < Self.limit else { return }
        let question = Question(statement: statement, values: values)
        if !asked.contains(question) { asked.append(question) }
    }

    /// A link begins anew.
    mutating func forget() { self = ServerForesight() }
}
