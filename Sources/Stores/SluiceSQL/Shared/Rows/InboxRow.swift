package import SluiceModel
import SluiceStore

/// The one place where a row of an application's becomes a task that comes in, or one that goes.
enum InboxRow {
    static let select = Query(
        """
        SELECT id, queue, type, payload, priority, sort_key, group_start, group_members,
            not_before, attempt_limit, expires_at, requires, required, unique_key,
            unique_policy, label, session, client_string, created_at, headers
        FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?
        """)
    static let selectRemovals = Query(
        """
        SELECT id, task, queue, type, unique_key, inbox_count
        FROM sluice_removed WHERE error IS NULL ORDER BY id LIMIT ?
        """)

    /// The limit for payload bytes read together.
    static let byteLimit = 8 << 20

    /// A row of `select`.
    static func task(_ row: any BoundStatement) -> InboxEntry {
        do throws(QueueError) {
            let request = try request(row, try sortKey(row))
            return InboxEntry(
                .inbox, row: row.integer(0), .task(queue: row.text(1), request))
        } catch {
            return InboxEntry(.inbox, row: row.integer(0), .unreadable(error))
        }
    }

    /// A row of `selectRemovals`, and the last row of the inbox that came before it.
    static func removal(_ row: any BoundStatement) -> (entry: InboxEntry, after: Int64) {
        let content = removal(row, task: 1, queue: 2, type: 3, key: 4)
        let entry = InboxEntry(.removed, row: row.integer(0), content)
        return (entry, row.optionalInteger(5) ?? .max)
    }

    /// The removal named by these columns.
    static func removal(
        _ row: any BoundStatement, task: Int32, queue: Int32, type: Int32, key: Int32
    ) -> InboxEntry.Content {
        if let task = row.optionalInteger(task) { return .removal(task) }
        if let queue = row.optionalText(queue), let type = row.optionalText(type),
            let key = row.optionalText(key)
        {
            return .keyRemoval(queue: queue, type: type, key: key)
        }
        return .unreadable(
            QueueError(
                .badValue, "it names no task",
                fix: "give its number in task, or its queue, type and unique_key"))
    }

    static func request(
        _ row: any BoundStatement, _ sortKey: SortKey?
    ) throws(QueueError) -> EnqueueRequest {
        var request = EnqueueRequest(type: row.text(2), payload: row.bytes(3))
        request.ownPriority = row.optionalInteger(4).map(Int.init)
        request.sortKey = sortKey
        request.groupStart = row.optionalText(6)
        request.groupMembers = try texts(row.optionalText(7), of: "group_members")
        request.notBefore = try moment(row, 8, of: "not_before")
        if let limit = row.optionalInteger(9) {
            guard 1...Int64(Int32.max) ~= limit else {
                throw wrong("attempt_limit", "\(limit)", allowed: ["a number from 1"])
            }
            request.attemptLimit = Int(limit)
        }
        request.expiresAt = try moment(row, 10, of: "expires_at")
        for word in try texts(row.optionalText(11), of: "requires") {
            guard let requirement = Requirement(rawValue: word) else {
                throw wrong("requires", word, allowed: Requirement.allCases.map(\.rawValue))
            }
            request.requires.insert(requirement)
        }
        request.isRequired = row.optionalInteger(12).map { $0 != 0 } ?? false
        request.uniqueKey = row.optionalText(13)
        if let word = row.optionalText(14) {
            guard let policy = UniquePolicy(rawValue: word) else {
                throw wrong("unique_policy", word, allowed: UniquePolicy.allCases.map(\.rawValue))
            }
            request.uniquePolicy = policy
        }
        request.label = row.optionalText(15)
        request.session = row.optionalText(16)
        request.clientString = row.isNull(17) ? nil : ClientString(bytes: row.bytes(17))
        request.createdAt = try moment(row, 18, of: "created_at")
        request.headers = try headers(row.optionalText(19))
        return request
    }

    /// Milliseconds since 1970, up to the year 9999.
    private static func moment(
        _ row: any BoundStatement, _ column: Int32, of name: String
    ) throws(QueueError) -> Timestamp? {
        guard let moment = row.optionalMoment(column) else { return nil }
        guard 0..<253_402_300_800_000 ~= moment.milliseconds else {
            throw wrong(
                name, "\(moment.milliseconds)", allowed: ["milliseconds since 1970"])
        }
        return moment
    }

    private static func sortKey(_ row: any BoundStatement) throws(QueueError) -> SortKey? {
        if row.isNull(5) { return nil }
        if row.isText(5) { return .text(row.text(5)) }
        guard row.isInteger(5) else {
            throw wrong("sort_key", row.text(5), allowed: ["an integer", "a text"])
        }
        return .integer(row.integer(5))
    }

    /// A JSON array of texts.
    private static func texts(
        _ text: String?, of column: String
    ) throws(QueueError) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        var found: [String]?
        do throws(JSONError) {
            let words = try JSONValue.parse(Array(text.utf8)).array?.map(\.string)
            found = words?.contains(nil) == true ? nil : words?.compactMap { $0 }
        } catch {
            found = nil
        }
        guard let found else {
            throw wrong(column, text, allowed: [#"a JSON array of texts such as ["a","b"]"#])
        }
        return found
    }

    /// A JSON object of texts.
    private static func headers(_ text: String?) throws(QueueError) -> [String: String] {
        guard let text, !text.isEmpty else { return [:] }
        guard let value = try? JSONValue.parse(Array(text.utf8)),
            let headers = TaskHeaders.read(value)
        else {
            throw wrong("headers", text, allowed: [#"a JSON object of texts such as {"a":"b"}"#])
        }
        return headers
    }

    private static func wrong(
        _ column: String, _ value: String, allowed: [String]
    ) -> QueueError {
        QueueError(
            .badValue, "\(column) is \(value.prefix(60))",
            fix: "allowed: \(allowed.joined(separator: ", "))")
    }
}

/// The inbox at a server with concurrent writers. Its two tables share a number sequence, so that
/// numbers show the order of arrival. Bytes and texts have separate columns; in a file one column
/// takes both.
extension InboxRow {
    /// A column of a text that an application wrote, as the engine's own texts are stored there.
    static func plain(_ column: String) -> String {
        "replace(\(column), '\u{E000}', '\u{E000}1')"
    }

    /// The columns of `select` in their order; what a removal has none of is NULL there.
    private static let columns = [
        ("id", "id"), ("queue", plain("queue")), ("type", plain("type")),
        ("payload", "coalesce(payload_bytes, convert_to(payload, 'UTF8'))"),
        ("priority", "priority"),
        ("sort_key", "coalesce('i' || sort_key, 't' || \(plain("sort_text")))"),
        ("group_start", plain("group_start")), ("group_members", plain("group_members")),
        ("not_before", "not_before"), ("attempt_limit", "attempt_limit"),
        ("expires_at", "expires_at"), ("requires", plain("requires")), ("required", "required"),
        ("unique_key", plain("unique_key")), ("unique_policy", plain("unique_policy")),
        ("label", plain("label")), ("session", plain("session")),
        ("client_string", "client_string"), ("created_at", "created_at"),
        ("headers", plain("headers")),
    ]

    /// How many bytes of a row may be many.
    private static let size = [
        "payload", "payload_bytes", "sort_text", "group_members", "requires", "label",
        "client_string", "headers",
    ].map { "coalesce(octet_length(\($0)), 0)" }.joined(separator: " + ")

    /// Both tables in one snapshot, in order of arrival, up to a number of rows and a number of
    /// payload bytes. Skips rows that another transaction has locked.
    static let selectBoth = Query(
        """
        WITH arrived AS MATERIALIZED (
            SELECT * FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?1
            FOR UPDATE SKIP LOCKED
        ), gone AS MATERIALIZED (
            SELECT * FROM sluice_removed WHERE error IS NULL ORDER BY id LIMIT ?1
            FOR UPDATE SKIP LOCKED
        ), line AS (
            SELECT id, \(size) AS size FROM arrived
            UNION ALL SELECT id, 0 FROM gone
            ORDER BY id LIMIT ?1
        ), slice AS (
            SELECT id, sum(size) OVER (ORDER BY id) - size AS behind FROM line
        )
        SELECT \(columns.map { "a.\($0.0)" }.joined(separator: ", ")), NULL::bigint, false
        FROM (
            SELECT \(columns.map { "\($0.1) AS \($0.0)" }.joined(separator: ", ")) FROM arrived
            WHERE id IN (SELECT id FROM slice WHERE behind < ?2)
        ) AS a
        UNION ALL
        SELECT id, \(plain("queue")), \(plain("type")), NULL::bytea, NULL::bigint, NULL::text,
            NULL::text, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, NULL::text,
            NULL::bigint, \(plain("unique_key")), NULL::text, NULL::text, NULL::text, NULL::text,
            NULL::bigint, NULL::text, task, true
        FROM gone WHERE id IN (SELECT id FROM slice WHERE behind < ?2)
        ORDER BY 1
        """)

    /// The numbers of the first and the last new row; NULL without new rows. A commit that removes
    /// a task needs the other columns, which cost no statement of their own here.
    static let selectSpan = Query(
        """
        SELECT least(\(numbers("min"))), greatest(\(numbers("max"))),
            \(WriterMemory.RowsApart.columns)
        """)

    private static func numbers(_ which: String) -> String {
        ["inbox", "removed"].map { "(SELECT \(which)(id) FROM sluice_\($0) WHERE error IS NULL)" }
            .joined(separator: ", ")
    }

    /// A row of `selectBoth`.
    static func either(_ row: any BoundStatement) -> InboxEntry {
        let number = row.integer(0)
        guard row.int(21) == 0 else {
            return InboxEntry(
                .removed, row: number, removal(row, task: 20, queue: 1, type: 2, key: 13))
        }
        do throws(QueueError) {
            let request = try request(row, try row.sortKey(5))
            return InboxEntry(.inbox, row: number, .task(queue: row.text(1), request))
        } catch {
            return InboxEntry(.inbox, row: number, .unreadable(error))
        }
    }
}

extension TableWriter {
    /// The numbers of the first and the last new row of a server's inbox, or `nil` without new
    /// rows.
    package func freshInbox() throws(QueueError) -> ClosedRange<Int64>? {
        let row = try connection.prepare(InboxRow.selectSpan)
        defer { row.reset() }
        guard try row.next() else { throw StoredFields.damage("an answer has no row") }
        memory.apart = WriterMemory.RowsApart(row, from: 2)
        guard let first = row.optionalInteger(0), let last = row.optionalInteger(1)
        else { return nil }
        return first...max(first, last)
    }
}
