/// Tables that identify a system, also in versions that are not read.
struct TableForm: Sendable {
    /// A table, and columns of it that other programs do not have together.
    struct Sign: Sendable {
        var table: String
        var columns: Set<String> = []
    }

    /// The name that people use.
    var title: String
    /// The table of tasks and the columns that must be there.
    var table: String
    var needs: Set<String>
    /// Whether it has no other columns.
    var isExact = false
    var signs: [Sign]
    /// The other tables that every version has.
    var companions: Set<String> = []

    /// Why the tables of a schema are not read; `nil` where they have no sign of the system.
    /// `place` comes before the name of a table, such as `app.`.
    func misfit(in tables: [String: Set<String>], _ place: String) -> String? {
        let seen = signs.first { sign in
            tables[sign.table].map { $0.isSuperset(of: sign.columns) } ?? false
        }
        guard let seen else { return nil }
        guard seen.table == table, let columns = tables[table] else {
            return "\(title) has the table \(place)\(seen.table) there, and no table \(table)"
        }
        let lacking = needs.subtracting(columns).sorted()
        let added = isExact ? columns.subtracting(needs).sorted() : []
        let faults = [("lacks", lacking), ("has, in addition,", added)].filter { !$1.isEmpty }
            .map { "\($0) the column\($1.count == 1 ? "" : "s") \($1.joined(separator: ", "))" }
        guard !faults.isEmpty else { return lack(in: tables, place) }
        return "the table \(place)\(table) of \(title) \(faults.joined(separator: " and "))"
    }

    /// The companions that are not there; `nil` if all are.
    private func lack(in tables: [String: Set<String>], _ place: String) -> String? {
        let lacking = companions.filter { tables[$0] == nil }.sorted()
        guard !lacking.isEmpty else { return nil }
        let word = lacking.count == 1 ? "table" : "tables"
        return "\(title) has the table \(place)\(table) there, and no \(word) "
            + lacking.joined(separator: ", ")
    }

    static func tables(of forms: [TableForm]) -> Set<String> {
        Set(forms.flatMap { form in [form.table] + form.signs.map(\.table) + form.companions })
    }
}

extension JobTable {
    var form: TableForm {
        TableForm(
            title: title, table: table, needs: Set(needs),
            signs: signs.isEmpty ? [TableForm.Sign(table: table)] : signs,
            companions: companions)
    }
}

extension RowTable {
    var form: TableForm {
        TableForm(
            title: title, table: table, needs: needs, isExact: isExact,
            signs: signs.isEmpty ? [TableForm.Sign(table: table)] : signs,
            companions: companions)
    }
}
