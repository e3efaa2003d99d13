import SluiceC
package import SluiceSystem

/// A Redis server of Debian's (`redis-server`) for tests: on the loopback address and on a socket
/// in a temporary folder. It goes with this value, or with this process, however that ends.
package final class RedisServer: Sendable {
    private static let program = "/usr/bin/redis-server"

    /// Whether the server is installed. Prints one note if it is not.
    package static let isInstalled: Bool = {
        if Files.exists(program) { return true }
        print("Redis is not installed (Debian: redis-server): its tests are left out")
        return false
    }()

    /// The folder of its socket and its files.
    package let folder: String
    /// Its port at 127.0.0.1.
    package let port: UInt16
    private let options: [String]
    private let guardian: Protected<ChildProcess>

    /// Makes one and waits until it answers; `options` are words for its command line.
    package convenience init(options: [String] = []) throws {
        let own = ["--appendonly", "yes", "--appendfsync", "no", "--maxclients", "2000"]
        try self.init(options: own + options, file: nil)
    }

    /// Makes one that is a sentinel, with the lines of its file.
    convenience init(options: [String], sentinel lines: [String]) throws {
        try self.init(options: ["--sentinel"] + options, file: lines)
    }

    private init(options: [String], file lines: [String]?) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-redis-")
        port = try Self.freePort()
        var words = options
        if let lines {
            let file = "\(folder)/sentinel.conf"
            try Files.writeAtomically(Array((lines.joined(separator: "\n") + "\n").utf8), to: file)
            words.insert(file, at: 0)
        }
        self.options = words
        guardian = Protected(try Self.start(folder, port, words))
        try awaitAnswer()
    }

    /// A port of 127.0.0.1 that is free at this moment.
    package static func freePort() throws -> UInt16 {
        var port: UInt16 = 0
        let holder = csys_bind_at("127.0.0.1", &port)
        guard holder >= 0 else { throw ServerFailure("there is no free port") }
        FileDescriptor(owning: holder).close()
        return port
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

    /// The TCP address of one of its databases.
    package func address(database: Int = 0) -> String { "redis://127.0.0.1:\(port)/\(database)" }

    package var socketAddress: String { "unix://\(folder)/socket" }

    package func connect(database: Int = 0) throws -> RedisConnection {
        try RedisConnection(try RedisAddress(address(database: database)))
    }

    /// Runs the server until standard input ends; then the folder goes, unless it shall stay.
    private static let script = """
        program=$1; folder=$2; port=$3; shift 3
        "$program" "$@" --dir "$folder" --port "$port" \\
            --bind 127.0.0.1 --unixsocket "$folder/socket" >>"$folder/log" 2>&1 &
        server=$!
        read -r word
        case "$word" in
        kill) kill -KILL $server; wait $server;;
        stop) kill -TERM $server; wait $server;;
        *) kill -KILL $server; wait $server; rm -rf "$folder";;
        esac
        """

    private static func start(
        _ folder: String, _ port: UInt16, _ options: [String]
    ) throws -> ChildProcess {
        try ChildProcess.spawn(
            Spawn(
                "/bin/sh", ["-c", script, "sh", program, folder, String(port)] + options,
                environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C"], directory: "/",
                input: .pipe, output: .null, errors: .null))
    }

    private func awaitAnswer() throws {
        let pidfd = guardian.withLock { $0.pidfd.number }
        let address = try RedisAddress(socketAddress)
        for _ in 0..<600 {
            do {
                try RedisConnection(address).call("PING")
                return
            } catch {
                // The server is up and requires a password, which the harness does not know.
                if error.refusal == "NOAUTH" { return }
            }
            let ended = try Poll.wait(fds: [PollInterest(pidfd)], timeoutMilliseconds: 50)
            if !ended.isEmpty { break }
        }
        let log = (try? Files.read("\(folder)/log", limitBytes: 1 << 20)) ?? []
        throw ServerFailure(
            "the server does not start: \(String(decoding: log.suffix(2048), as: UTF8.self))")
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
        try guardian.withLock { $0 = try Self.start(folder, port, options) }
        try awaitAnswer()
    }
}
