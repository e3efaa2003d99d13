import SluiceC
package import SluiceSystem

/// A MariaDB server of Debian's (`mariadb-server`) for tests: on the loopback address and on a
/// socket in a temporary folder. It ends with this value, or with this process.
package final class MariaDBServer: Sendable {
    /// The programs of the server; the environment can name others, such as wrappers of MySQL's.
    private static let server =
        ProcessIdentity.environment("SLUICE_MARIADB_SERVER") ?? "/usr/sbin/mariadbd"
    private static let installer =
        ProcessIdentity.environment("SLUICE_MARIADB_INSTALLER") ?? "/usr/bin/mariadb-install-db"

    /// Whether tests can have one; otherwise a line says so once.
    package static let isInstalled: Bool = {
        let library = "/usr/share/doc/libmariadb3"
        if [server, installer, library].allSatisfy({ Files.exists($0) }) { return true }
        print("MariaDB is not installed (Debian: mariadb-server): its tests are left out")
        return false
    }()

    /// The one for all tests of this process that do no harm to it.
    package static func shared() throws -> MariaDBServer { try one.get() }

    private static let one = Result { try MariaDBServer() }

    /// The folder of its socket and its data.
    package let folder: String
    /// Its port at 127.0.0.1.
    package let port: UInt16
    private let options: [String]
    private let guardian: Protected<ChildProcess>
    private let names = Protected(0)

    /// Makes one and waits until it answers; `options` are words for its command line.
    package init(options: [String] = []) throws {
        self.options = options
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-my-")
        var port: UInt16 = 0
        let holder = csys_bind_at("127.0.0.1", &port)
        guard holder >= 0 else { throw ServerFailure("there is no free port") }
        FileDescriptor(owning: holder).close()
        self.port = port
        guardian = Protected(try Self.start(folder, port, options, isNew: true))
        try awaitAnswer()
    }

    deinit {
        // The end of its standard input is the end of the server, and of the folder.
        guardian.withLock { child in
            child.input?.close()
            _ = try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 30_000)
            _ = try? child.reap()
        }
    }

    /// Runs the server until standard input ends; then the folder goes, unless it shall stay.
    private static let script = """
        server=$1; installer=$2; folder=$3; port=$4; age=$5; shift 5
        export TMPDIR="$folder"
        as=
        if [ "$(id -u)" = 0 ]; then
            chown mysql "$folder"
            as="setpriv --reuid=mysql --regid=mysql --clear-groups"
        fi
        if [ "$age" = new ]; then
            $as "$installer" --no-defaults --datadir="$folder/data" --skip-test-db \\
                --auth-root-authentication-method=normal >"$folder/log" 2>&1 || exit 1
            printf '%s\\n' "CREATE USER app@'%' IDENTIFIED BY 'secret';" \\
                "GRANT ALL ON *.* TO app@'%' WITH GRANT OPTION;" >"$folder/init"
        else
            : >"$folder/init"
        fi
        $as "$server" --no-defaults --datadir="$folder/data" --socket="$folder/socket" \\
            --bind-address=127.0.0.1 --port="$port" --skip-name-resolve \\
            --init-file="$folder/init" --pid-file="$folder/pid" \\
            --innodb-flush-log-at-trx-commit=0 --skip-log-bin \\
            --innodb-buffer-pool-size=64M --performance-schema=off "$@" >>"$folder/log" 2>&1 &
        server=$!
        read -r word
        case "$word" in
        kill) kill -KILL $server; wait $server;;
        stop) kill -TERM $server; wait $server;;
        *) kill -KILL $server; wait $server; rm -rf "$folder";;
        esac
        """

    private static func start(
        _ folder: String, _ port: UInt16, _ options: [String], isNew: Bool
    ) throws -> ChildProcess {
        let words = [server, installer, folder, String(port), isNew ? "new" : "old"] + options
        return try ChildProcess.spawn(
            Spawn(
                "/bin/sh", ["-c", script, "sh"] + words,
                environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"], directory: "/",
                input: .pipe, output: .null, errors: .null))
    }

    private func awaitAnswer() throws {
        let pidfd = guardian.withLock { $0.pidfd.number }
        for _ in 0..<1200 {
            if (try? connect("mysql")) != nil { return }
            let ended = try Poll.wait(fds: [PollInterest(pidfd)], timeoutMilliseconds: 50)
            if !ended.isEmpty { break }
        }
        let log = (try? Files.read("\(folder)/log", limitBytes: 1 << 20)) ?? []
        throw ServerFailure(
            "the server does not start: \(String(decoding: log.suffix(2048), as: UTF8.self))")
    }

    /// The TCP address of one of its databases.
    package func address(_ database: String, user: String = "app:secret") -> String {
        "mysql://\(user)@127.0.0.1:\(port)/\(database)"
    }

    package func socketAddress(_ database: String) -> String {
        "mariadb://app:secret@/\(database)?socket=\(folder)/socket"
    }

    package func connect(_ database: String = "mysql") throws -> MariaDBConnection {
        try MariaDBConnection(try MariaDBAddress(address(database)))
    }

    package func run(_ sql: String, in database: String = "mysql") throws {
        try connect(database).run(sql)
    }

    /// Creates an empty database for a test and returns its name.
    package func makeDatabase() throws -> String {
        let name = names.withLock { count in
            count += 1
            return "t\(count)"
        }
        try run("CREATE DATABASE \(name) CHARACTER SET utf8mb4")
        return name
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
        try guardian.withLock { $0 = try Self.start(folder, port, options, isNew: false) }
        try awaitAnswer()
    }
}
