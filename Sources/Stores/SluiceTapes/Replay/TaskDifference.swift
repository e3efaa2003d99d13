import SluiceModel
import SluiceSQL

/// A difference of one task after its end.
struct TaskDifference {
    let id: TaskID
    /// The first different field, by its name on a tape. The state comes first; index and
    /// statistics fields come last.
    let field: String
    let tape: JSONValue
    let rules: JSONValue
    let part: TapeReplay.Part

    private static let internals: Set<String> = [
        "executions", "freshAt", "position", "updatedAt", "version",
    ]
    private static let moments: Set<String> = ["createdAt", "expiresAt", "freshAt", "updatedAt"]

    /// Nil where both are the same.
    init?(_ id: TaskID, tape: QueueTask?, rules: QueueTask?) {
        guard tape != rules else { return nil }
        self.id = id
        guard let tape, let rules else {
            let there: (QueueTask?) -> JSONValue = { $0 == nil ? "gone" : "there" }
            (field, self.tape, self.rules) = ("the state", there(tape), there(rules))
            part = .presence(of: id, byRules: rules != nil)
            return
        }
        let (one, other) = (tape.storedFields, rules.storedFields)
        let fields = Set(one.keys + other.keys).filter { one[$0] != other[$0] }
            .sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }
        guard let first = fields.first else { return nil }
        (field, self.tape, self.rules) = (first, one[first] ?? .null, other[first] ?? .null)
        let told = rules.differences(from: tape)
        part = .end(
            of: id,
            told.isEmpty
                ? fields.map { Self.difference($0, one[$0] ?? .null, other[$0] ?? .null) } : told)
    }

    private static func rank(_ field: String) -> Int {
        field == "state" ? 0 : internals.contains(field) ? 2 : 1
    }

    private static func difference(
        _ field: String, _ tape: JSONValue, _ rules: JSONValue
    ) -> FieldDifference {
        let told: (JSONValue) -> JSONValue = { value in
            guard moments.contains(field), let number = value.integer else { return value }
            return number == 0 ? .null : JSONValue(Timestamp(milliseconds: number))
        }
        return FieldDifference(name: field, from: told(tape), to: told(rules))
    }
}
