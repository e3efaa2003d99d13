package import SluiceModel
import SluiceSystem

/// How the systems in a database and in a file are found and opened.
extension ForeignStore {
    /// The answer about an address.
    package enum Finding {
        case store(ForeignStore)
        /// Tables of a known system in a form that is not read, in an error's words.
        case unfit(QueueError)
        case nothing(QueueError)
    }

    /// The systems that were found, or why tables of known systems are not read.
    struct Found {
        var systems: [any ForeignSystem]
        var misfits: [String] = []

        /// The answer for an address. `names` are the expected systems.
        func finding(_ name: String, _ names: [String]) -> Finding {
            guard systems.isEmpty else { return .store(ForeignStore(name: name, systems: systems)) }
            guard !misfits.isEmpty else { return .nothing(ForeignStore.nothing(name, names)) }
            return .unfit(
                QueueError(
                    .notAStore, "\(name): \(misfits.prefix(3).joined(separator: "; "))",
                    fix: "run the system's own migrations: docs/foreign/tables.md names the oldest "
                        + "versions that are read"))
        }
    }

    static func nothing(_ name: String, _ systems: [String]) -> QueueError {
        QueueError(
            .notAStore, "\(name) holds none of \(systems.joined(separator: ", "))",
            fix: "check the address")
    }

    /// Why the tables of known systems in some schemas are not read.
    private static func misfits(
        of forms: [TableForm], in session: any RowSession,
        _ isMeant: (String) -> Bool = { _ in true }
    ) throws -> [String] {
        let schemas = try session.shapes(of: TableForm.tables(of: forms))
        return schemas.filter { isMeant($0.key) }.sorted { $0.key < $1.key }
            .flatMap { schema, tables in
                let place = session.dialect == .postgres ? "\(schema)." : ""
                return forms.compactMap { $0.misfit(in: tables, place) }
            }
    }

    static func file(
        _ address: String, as system: String?
    ) throws -> Found {
        let path =
            address.hasPrefix(filePrefix)
            ? String(address.dropFirst(filePrefix.count)) : address
        let file = try SQLiteFile(path: path)
        let isAsked = system == nil || system == HueyFile.systemName
        let huey = try isAsked && HueyFile.isThere(file) ? [HueyFile(file)] : []
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let session = SQLiteRowSession(file)
        let shape = try session.shapes(of: RowTable.tables(of: asked))["main"] ?? [:]
        let fitted = asked.compactMap { $0.fitted(to: shape) }
        let systems = huey + fitted.map { $0.opening(RowSystem($0, session)) }
        guard systems.isEmpty else { return Found(systems: systems) }
        let forms = (isAsked ? [HueyFile.form] : []) + asked.map(\.form)
        return Found(systems: [], misfits: try misfits(of: forms, in: session))
    }

    /// The systems in a database of MariaDB, by one connection.
    static func rows(
        _ address: MariaDBAddress, as system: String?
    ) throws -> Found {
        let session = try MariaDBRowSession(address)
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let shape = try session.shapes(of: RowTable.tables(of: asked))[address.database] ?? [:]
        let systems = asked.compactMap { $0.fitted(to: shape) }
            .map { $0.opening(RowSystem($0, session)) }
        guard systems.isEmpty else { return Found(systems: systems) }
        return Found(systems: [], misfits: try misfits(of: asked.map(\.form), in: session))
    }

    /// The systems in a database, each with its own connection and schema.
    static func tables(
        _ address: String, as system: String?
    ) throws -> Found {
        let choice = SchemaChoice(address)
        let first = try SQLSession(choice.address)
        let asked = JobTable.all.filter { system == nil || system == $0.name }
        let path = choice.asked == nil ? try first.askedSearchPath() : []
        let jobShapes = try asked.isEmpty ? [] : JobTable.shapes(of: asked, in: first)
        let found = try zip(asked, jobShapes).compactMap {
            (table, shapes) in
            try choice.choose(among: shapes, table.title, path)
                .map { (table.fitted(to: $0), $0.schema) }
        }
        let rows = RowTable.all.filter { system == nil || system == $0.name }
        let schemas = try PostgresRowSession(first).shapes(of: RowTable.tables(of: rows))
        let fitted = try rows.compactMap { table -> (RowTable, String)? in
            let fits = schemas.keys.sorted().filter { table.fitted(to: schemas[$0] ?? [:]) != nil }
            let chosen = try choice.choose(
                among: fits.map { TableShape(schema: $0) }, table.title, path)
            return chosen.flatMap { shape in
                table.fitted(to: schemas[shape.schema] ?? [:]).map { ($0, shape.schema) }
            }
        }
        guard !found.isEmpty || !fitted.isEmpty else {
            return Found(
                systems: [],
                misfits: try misfits(
                    of: asked.map(\.form) + rows.map(\.form), in: PostgresRowSession(first)
                ) { choice.asked == nil || choice.asked == $0 })
        }
        var free: SQLSession? = first
        func session(_ schema: String) throws -> SQLSession {
            let session = try free ?? SQLSession(choice.address)
            free = nil
            try session.use(schema: schema)
            return session
        }
        let systems =
            try found.map { table, schema -> any ForeignSystem in
                TableSystem(table, try session(schema))
            } + fitted.map { $0.opening(RowSystem($0, PostgresRowSession(try session($1)))) }
        return Found(systems: systems)
    }
}

/// Which queue and task a person names, and a queue's tasks one after the other.
extension ForeignStore {
    /// The maximum number of tasks that an id prefix search reads for each queue and state.
    package static let lookLimit = 20_000
    private static let shortest = 4

    /// A queue by its own name, or by its name with codes where another one looks the same, and
    /// its system. Throws `unknownQueue`, or `notLegal` where several systems have one of that
    /// name.
    package func place(of queue: String) throws -> (system: any ForeignSystem, queue: String) {
        try Self.checkName(queue)
        // If empty queues leave no trace, any name may be a queue.
        let mayBeNew = systems.count == 1 && !systems[0].listsEmptyQueues
        if mayBeNew, queue.utf8.allSatisfy({ $0 < 0x80 }) { return (systems[0], queue) }
        let all = try queues()
        let isThere = all.contains { $0.name.isSame(as: queue) }
        let names = ForeignQueueName.names(of: all)
        let meant = isThere ? nil : names.first { $0.spelled.isSame(as: queue) }?.name
        if mayBeNew { return (systems[0], meant ?? queue) }
        return (try system(of: meant ?? queue, among: all), meant ?? queue)
    }

    private func system(
        of queue: String, among all: [ForeignQueue]
    ) throws(QueueError) -> any ForeignSystem {
        let found = systems.filter { system in
            all.contains { $0.system == system.name && $0.name.isSame(as: queue) }
        }
        if found.count > 1 {
            throw QueueError(
                .notLegal, "several systems have a queue \"\(queue)\"",
                fix: "say which: --as \(found.map(\.name).joined(separator: " or --as "))")
        }
        if let only = found.first { return only }
        throw QueueError.unknownForeignQueue(queue, known: all.map(\.name))
    }

    /// Throws `notLegal` for a queue name that is no UTF-8: its shown form names other keys.
    private static func checkName(_ queue: String) throws(QueueError) {
        guard !queue.isExactName else { return }
        throw .notLegal(
            "the name of \(queue) is no UTF-8: it is listed, and nothing is done to it",
            fix: "give the queue another name in its app")
    }

    /// A task and its system, by its id or by what no other id begins with, four characters or
    /// more; throws `unknownTask`, or `ambiguousTask`.
    package func find(_ reference: String) throws -> (system: any ForeignSystem, ForeignDetail) {
        for system in systems {
            if let detail = try system.shownDetail(reference) { return (system, detail) }
        }
        if let (system, whole) = try beginning(reference),
            let detail = try system.shownDetail(whole)
        {
            return (system, detail)
        }
        throw QueueError(
            .unknownTask, "there is no task \"\(reference)\" in \(name)",
            fix: "it may have run: sluice list shows the tasks")
    }

    /// The one task whose id begins so. Numbers are meant whole, for 12 is not 123.
    private func beginning(
        _ text: String
    ) throws -> (system: any ForeignSystem, reference: String)? {
        guard text.utf8.count >= Self.shortest, text.contains(where: { !$0.isNumber }) else {
            return nil
        }
        var found: [ExactText: any ForeignSystem] = [:]
        var isWhole = true
        for system in systems {
            for queue in try system.queues() {
                for state in TaskState.Name.allCases {
                    let read = try system.each(of: queue.name, state, limit: Self.lookLimit) {
                        if $0.isNamed(text) { found[$0.reference] = system }
                        return true
                    }
                    isWhole = isWhole && read
                }
            }
        }
        guard let one = found.first else { return nil }
        guard found.count == 1, isWhole else {
            let first = found.texts.prefix(3).joined(separator: ", ")
            throw QueueError(
                .ambiguousTask,
                found.count == 1
                    ? "\"\(text)\" may be more than \(first): there are too many tasks to look"
                    : "\"\(text)\" may be \(first)" + (found.count > 3 ? " or others" : ""),
                fix: "give the whole id")
        }
        return (one.value, one.key.text)
    }
}

extension ForeignTask {
    /// Whether a beginning of its id names it; where an id has parts, also of the last one.
    func isNamed(_ text: String) -> Bool {
        reference.hasPrefix(text)
            || (reference.split(separator: ":").last?.hasPrefix(text) ?? false)
    }
}

extension ForeignSystem {
    private static var rememberedCount: Int { 20_000 }

    /// Hands over the tasks of a queue in a state, page by page, until `take` gives false or has
    /// had `limit`; false if there may be more.
    package func each(
        of queue: String, _ state: TaskState.Name, limit: Int,
        _ take: (ForeignTask) throws -> Bool
    ) throws -> Bool {
        try pages(of: queue, state, limit: limit) { try $0.allSatisfy(take) }
    }

    /// Passes whole pages to `take`. Omits tasks that a recent page contained, since a list can
    /// move while it is read.
    package func pages(
        of queue: String, _ state: TaskState.Name, limit: Int,
        _ take: ([ForeignTask]) throws -> Bool
    ) throws -> Bool {
        var (seen, former): (Set<ExactText>, Set<ExactText>) = ([], [])
        var count = 0
        var last: String?
        while true {
            let size = min(1000, limit - count)
            guard size > 0 else { return false }
            let page = try shownPage(
                ForeignQuery(queue: queue, state: state, limit: size, after: last))
            if seen.count > Self.rememberedCount { (seen, former) = ([], seen) }
            let new = page.tasks.filter { task in
                !former.contains(task.reference) && seen.insert(ExactText(task.reference)).inserted
            }
            count += new.count
            guard try take(new) else { return false }
            // A page that brings nothing new is the last one of a list that is not paged.
            guard page.more, !new.isEmpty, let end = page.tasks.last?.reference else {
                return !page.more
            }
            last = end
        }
    }
}

/// The record of a change in a journal, whose records are in the order of their numbers.
package struct ForeignRecord: Hashable, Sendable {
    /// The journal; the systems of one store may share it.
    package var journal: String
    package var number: Int64
}

extension ForeignSystem {
    /// By default the systems of a store share one journal, and an undo finds its last change.
    package func lastRecord(by person: String) throws -> ForeignRecord? {
        ForeignRecord(journal: "", number: 0)
    }
}

extension ForeignStore {
    /// The system with a person's last change; `nil` without one. Throws `notLegal` if the person's
    /// changes are in several journals, which do not say which change came last.
    package func lastChanged(by person: String) throws -> (any ForeignSystem)? {
        let able = systems.filter { $0.refusal(of: .undo) == nil }
        guard able.count > 1 else { return able.first ?? systems.first }
        let found = try able.compactMap { system in
            try system.lastRecord(by: person).map { (system: system, record: $0) }
        }
        guard Set(found.map(\.record.journal)).count < 2 else {
            let titles = found.map(\.system.title).joined(separator: " and ")
            let names = found.map { "--as \($0.system.name)" }.joined(separator: " or ")
            throw QueueError.notLegal(
                "\(person) has changed tasks of \(titles): nothing says which change came last",
                fix: "name the system: sluice undo \(names)")
        }
        return found.max { $0.record.number < $1.record.number }?.system
    }
}
