/// Which questions come with the beginning of a transaction: those that the last two asked about
/// what they found, both in the same words and with the same values.
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

    /// More are not foreseen.
    private static let limit = 12

    private var before: Set<Question> = []
    private var asked: [Question] = []

    private var again: [Question] = []

    /// A transaction begins; gives what is asked with its beginning. One that asked nothing says
    /// nothing about the next.
    mutating func begin() -> [Question] {
        guard !asked.isEmpty else { return again }
        again = asked.filter { before.contains($0) }
        before = Set(asked)
        asked.removeAll(keepingCapacity: true)
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
