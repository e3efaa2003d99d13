import SluiceSystem

/// A PostgreSQL server of Debian's (`postgresql`) for tests: on a socket in a temporary folder, and
/// at an address only where a test wants that. It goes with this value, or with this process,
/// however that ends.
package final class PostgresServer: Sendable {
    /// The folder of the newest installed version, or `nil`.
    package static let programs: String? = {
        let versions = (try? Files.list("/usr/lib/postgresql")) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        guard let newest else { return nil }
        let folder = "/usr/lib/postgresql/\(newest)/bin"
        return Files.exists("\(folder)/initdb") ? folder : nil
    }()

    /// Whether the server is installed. Prints one note if it is not.
    package static let isInstalled: Bool = {
        if programs != nil { return true }
        print("PostgreSQL is not installed (Debian: postgresql): its tests are left out")
        return false
    }()

    /// The one for all tests of this process that do no harm to it.
    package static func shared() throws -> PostgresServer { try one.get() }

    private static let one = Result { try PostgresServer() }

    package let folder: String
    private let guardian: Protected<ChildProcess>
    private let programs: String
    private let place: Place
    private let names = Protected(0)

    package struct Place: Sendable {
        /// The words before its commands, which run them in another network.
        package var words: [String]
        /// Its address on port 5432, in addition to its socket. It accepts every client.
        package var address: String
        /// Whether a commit waits for the disk, as in production.
        package var isDurable: Bool

        /// A place: this machine, and a socket alone.
        package init(words: [String] = [], address: String = "", isDurable: Bool = false) {
            self.words = words
            self.address = address
            self.isDurable = isDurable
        }
    }

    /// Makes one and waits until it answers.
    package init(at place: Place = Place()) throws {
        self.place = place
        guard let programs = Self.programs else {
            throw ServerFailure("PostgreSQL is not installed")
        }
        self.programs = programs
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-pg-")
        guardian = Protected(try Self.start(programs, folder, place, isNew: true))
        try awaitAnswer()
    }

    deinit {
        // Closing standard input ends the server and removes its folder. Reap the child, because a
        // zombie would block code that waits for any child.
        guardian.withLock { child in
            child.input?.close()
            _ = try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 30_000)
            _ = try? child.reap()
        }
    }

    /// Runs the server until standard input ends; then the folder goes, unless it shall stay.
    private static let script = """
        programs=$1; folder=$2; as=
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            as="setpriv --reuid=postgres --regid=postgres --clear-groups"
        fi
        if [ "$3" = new ]; then
            $as "$programs/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C \\
                --no-sync >"$folder/log" 2>&1 || exit 1
            $as sed -i -e '1i local all locked scram-sha-256' -e '$a host all all all trust' \\
                "$folder/data/pg_hba.conf"
        fi
        $as "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses="$4" \\
            -c fsync="$5" -c full_page_writes="$5" -c max_connections=400 \\
            -c autovacuum_naptime=5s -c log_min_messages=fatal >>"$folder/log" 2>&1 &
        server=$!
        read -r word
        case "$word" in
        kill) kill -QUIT $server; wait $server;;
        stop) kill -INT $server; wait $server;;
        *) kill -INT $server; wait $server; rm -rf "$folder";;
        esac
        """

    private static func start(
        _ programs: String, _ folder: String, _ place: Place, isNew: Bool
    ) throws -> ChildProcess {
        let words =
            place.words + ["/bin/sh", "-c", script, "sh", programs, folder]
            + [isNew ? "new" : "old", place.address, place.isDurable ? "on" : "off"]
        return try ChildProcess.spawn(
            Spawn(
                words[0], Array(words.dropFirst()),
                environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"], directory: "/",
                input: .pipe, output: .null, errors: .null))
    }

    /// The address of a database of this server, for the role that owns everything.
    package func address(_ database: String, role: String = "postgres") -> String {
        "postgres:///\(database)?host=\(folder)&user=\(role)"
    }

    private func awaitAnswer() throws {
        let pidfd = guardian.withLock { $0.pidfd.number }
        for _ in 0..<600 {
            if (try? connect("postgres")) != nil { return }
            let ended = try Poll.wait(fds: [PollInterest(pidfd)], timeoutMilliseconds: 50)
            if !ended.isEmpty { break }
        }
        let log = (try? Files.read("\(folder)/log", limitBytes: 4096)) ?? []
        throw ServerFailure(
            "the server does not start: \(String(decoding: log, as: UTF8.self))")
    }

    private func connect(_ database: String) throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(address(database)), isPipelined: false)
    }

    /// Runs statements in a database as the role that owns everything.
    package func run(_ sql: String, in database: String = "postgres") throws {
        try connect(database).run(sql)
    }

    /// The first value of a question.
    package func value(of sql: String, in database: String = "postgres") throws -> String {
        try connect(database).value(of: sql)
    }

    /// The address of the tests' database. Each test has a schema there.
    package var address: String { address("postgres") }

    /// A name for a schema, or for a database, that no other test has.
    package func newName() -> String {
        names.withLock { count in
            count += 1
            return "t\(count)"
        }
    }

    /// Stops the server, or kills it if `isCrash`.
    package func stop(isCrash: Bool = false) throws {
        try guardian.withLock { child in
            try child.input?.writeAll(Array((isCrash ? "kill\n" : "stop\n").utf8))
            _ = try Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 30_000)
            _ = try child.reap()
        }
    }

    /// Restarts it with its data.
    package func start() throws {
        try guardian.withLock { $0 = try Self.start(programs, folder, place, isNew: false) }
        try awaitAnswer()
    }
}
