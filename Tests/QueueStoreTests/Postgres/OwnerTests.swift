import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite(
    "Who owns the schema, and what its names mean", .serialized,
    .enabled(if: PostgresServer.isInstalled))
struct OwnerTests {
    /// A place with two private roles, removed after the body.
    private func withRoles(
        _ body: (ServerPlace, _ mine: String, _ other: String) throws -> Void
    ) throws {
        let place = try ServerPlace()
        let (mine, other) = ("mine_\(place.schema)", "other_\(place.schema)")
        for role in [mine, other] {
            try place.run("CREATE ROLE \(role) LOGIN")
        }
        defer {
            for role in [mine, other] {
                try? place.run("DROP OWNED BY \(role) CASCADE")
                try? place.run("DROP ROLE \(role)")
            }
        }
        try body(place, mine, other)
    }

    @Test("P7 no store is made in a schema of a role that is neither this one, its group nor named")
    func owner() throws {
        try withRoles { place, mine, other in
            try place.run("CREATE SCHEMA \(place.schema) AUTHORIZATION \(other)")
            try place.run("GRANT ALL ON SCHEMA \(place.schema) TO \(mine)")
            for role in [mine, "postgres"] {
                let refused = refusal { () throws(QueueError) in try place.open(role: role) }
                #expect(refused?.code == .denied, "\(String(describing: refused))")
                #expect(refused?.message.contains("\"\(other)\"") == true)
                #expect(refused?.fix.contains("--schema-owner \(other)") == true)
                let wrong = refusal { () throws(QueueError) in
                    try place.open(role: role, schemaOwner: mine)
                }
                #expect(wrong?.code == .denied)
            }
            let count =
                "SELECT count(*) FROM pg_class WHERE relnamespace = '\(place.schema)'::regnamespace"
            #expect(try place.value(of: count) == "0")
            let store = try place.open(role: mine, schemaOwner: other)
            defer { store.close() }
            try store.makeQueue("q")
            #expect(try store.queueNames() == ["q"])
        }
    }

    @Test("P7 a schema of this role, or of one that it is a member of, is taken as it is")
    func member() throws {
        for isOwn in [true, false] {
            try withRoles { place, mine, other in
                try place.run("CREATE SCHEMA \(place.schema) AUTHORIZATION \(isOwn ? mine : other)")
                if !isOwn { try place.run("GRANT \(other) TO \(mine)") }
                let store = try place.open(role: mine)
                defer { store.close() }
                try store.makeQueue("q")
                #expect(try store.queueNames() == ["q"])
            }
        }
    }

    @Test("P7 who may make functions and operators elsewhere is never asked by a store")
    func shadows() throws {
        try withRoles { place, mine, _ in
            try place.run("CREATE SCHEMA \(place.schema) AUTHORIZATION \(mine)")
            let evil = "evil_\(place.schema)"
            try place.run("CREATE SCHEMA \(evil)")
            defer { try? place.run("DROP SCHEMA \(evil) CASCADE") }
            try place.run("CREATE TABLE \(evil).called (what TEXT)")
            try place.run("GRANT ALL ON SCHEMA \(evil) TO PUBLIC")
            try place.run("GRANT ALL ON TABLE \(evil).called TO PUBLIC")
            for (name, arguments, result) in [
                ("set_config", "text, text, boolean", "text"), ("pg_backend_pid", "", "integer"),
                ("clock_timestamp", "", "timestamptz"), ("hashtext", "text", "integer"),
                ("count", "bigint", "bigint"),
                ("pg_advisory_xact_lock", "integer, integer", "void"),
                ("current_setting", "text", "text"),
                ("has_function_privilege", "text, text", "boolean"),
                ("txid_current_if_assigned", "", "bigint"), ("int8eq", "bigint, bigint", "boolean"),
                ("min", "bigint", "bigint"), ("length", "bytea", "integer"),
            ] {
                let end = result == "void" ? "RETURN" : "RETURN NULL"
                try place.run(
                    """
                    CREATE FUNCTION \(evil).\(name)(\(arguments)) RETURNS \(result)
                    LANGUAGE plpgsql AS
                    $$ BEGIN INSERT INTO \(evil).called VALUES ('\(name)'); \(end); END $$
                    """)
            }
            for type in ["bigint", "text", "name", "oid"] {
                try place.run(
                    """
                    CREATE FUNCTION \(evil).same(\(type), \(type)) RETURNS boolean
                    LANGUAGE plpgsql AS
                    $$ BEGIN INSERT INTO \(evil).called VALUES ('= \(type)'); RETURN false; END $$
                    """)
                try place.run(
                    """
                    CREATE OPERATOR \(evil).= (
                        LEFTARG = \(type), RIGHTARG = \(type), FUNCTION = \(evil).same)
                    """)
            }
            try place.run("ALTER ROLE \(mine) SET search_path = \(evil), pg_catalog, public")
            let store = try place.open(role: mine)
            defer { store.close() }
            try store.makeQueue("q")
            try store.transactBlocking(at: at(0)) { mutation in
                _ = try mutation.enqueue([EnqueueRequest(type: "t")], to: "q")
            }
            #expect(try store.queueNames() == ["q"])
            #expect(try store.readBlocking { try $0.counts(queue: "q")[.waiting] } == 1)
            #expect(try place.value(of: "SELECT count(*) FROM \(evil).called") == "0")
        }
    }
}
