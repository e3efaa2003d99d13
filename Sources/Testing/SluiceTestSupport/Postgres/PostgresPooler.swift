import SluiceSystem

/// PgBouncer in transaction mode before a server of the tests, on a socket in the server's folder;
/// it goes with this value.
package final class PostgresPooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    /// Whether tests can have one; it is not among the packages that they install.
    package static let isInstalled = PostgresServer.programs != nil && Files.exists(program)

    private let server: PostgresServer
    private let guardian: Protected<ChildProcess>

    /// Starts it. The first connection waits until it answers.
    package init(before server: PostgresServer) throws {
        self.server = server
        guardian = Protected(
            try ChildProcess.spawn(
                Spawn(
                    "/bin/sh", ["-c", Self.script, "sh", Self.program, server.folder],
                    environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"],
                    directory: "/", input: .pipe, output: .null, errors: .null)))
        for _ in 0..<200 where !Files.exists("\(server.folder)/.s.PGSQL.6432") {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
        }
    }

    deinit {
        guardian.withLock { child in
            child.input?.close()
            _ = try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 30_000)
            _ = try? child.reap()
        }
    }

    /// The address of the tests' database, through the pooler. Each test has a schema there.
    package var address: String { server.address + "&port=6432" }

    private static let script = """
        program=$1; folder=$2; as=
        if [ "$(id -u)" = 0 ]; then
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
        fi
        $as sh -c 'cat >"$1/pooler.ini"' sh "$folder" <<END
        [databases]
        * = host=$folder user=postgres
        [pgbouncer]
        listen_addr =
        unix_socket_dir = $folder
        auth_type = any
        pool_mode = transaction
        END
        sed -i 's/^ *//' "$folder/pooler.ini"
        $as "$program" "$folder/pooler.ini" &
        pooler=$!
        read -r word
        kill $pooler; wait $pooler
        """
}
