package import SluiceModel
import SluiceStore

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
