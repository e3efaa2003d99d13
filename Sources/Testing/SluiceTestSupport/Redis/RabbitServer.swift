import SluiceSystem

/// A broker of Debian's (`rabbitmq-server`) for tests, with its management interface, on the
/// loopback address. It goes with this value, or with this process, however that ends.
package final class RabbitServer: Sendable {
    private static let program = "/usr/lib/rabbitmq/bin/rabbitmq-server"

    /// Whether the server is installed. Prints one note if it is not.
    package static let isInstalled: Bool = {
        if Files.exists(program) { return true }
        print("RabbitMQ is not installed (Debian: rabbitmq-server): its tests are left out")
        return false
    }()

    package let folder: String
    /// Its port for AMQP at 127.0.0.1.
    package let port: UInt16
    package let managementPort: UInt16
    private let guardian: Protected<ChildProcess>

    /// Makes one and waits until both ports answer.
    package init() throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-rabbit-")
        port = try RedisServer.freePort()
        managementPort = try RedisServer.freePort()
        let conf = """
            listeners.tcp.1 = 127.0.0.1:\(port)
            management.tcp.ip = 127.0.0.1
            management.tcp.port = \(managementPort)

            """
        try Files.writeAtomically(Array(conf.utf8), to: "\(folder)/rabbitmq.conf")
        try Files.writeAtomically(
            Array("[rabbitmq_management].\n".utf8), to: "\(folder)/plugins")
        guardian = Protected(
            try Self.start(
                folder, port, [try RedisServer.freePort(), try RedisServer.freePort()]))
        try awaitAnswer()
    }

    deinit {
        // The end of its standard input is the end of the broker, and of the folder.
        guardian.withLock { child in
            child.input?.close()
            _ = try? Poll.wait(
                fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 60_000)
            _ = try? child.reap()
        }
    }

    package func address() -> String { "\(url)?management=\(managementPort)" }

    /// The same for other clients.
    package var url: String { "amqp://guest:guest@127.0.0.1:\(port)/%2F" }

    /// Runs the broker until standard input ends, then removes its folder and its own port mapper.
    private static let script = """
        program=$1; folder=$2
        setsid "$program" >>"$folder/log" 2>&1 &
        server=$!
        read -r word
        kill -KILL -$server; wait $server
        epmd -port "$ERL_EPMD_PORT" -kill >/dev/null 2>&1
        rm -rf "$folder"
        """

    private static func start(
        _ folder: String, _ port: UInt16, _ nodes: [UInt16]
    ) throws -> ChildProcess {
        try ChildProcess.spawn(
            Spawn(
                "/bin/sh", ["-c", script, "sh", program, folder],
                environment: [
                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=\(folder)",
                    "RABBITMQ_NODENAME=trial\(port)@localhost",
                    "RABBITMQ_MNESIA_BASE=\(folder)/mnesia", "RABBITMQ_LOG_BASE=\(folder)/logs",
                    "RABBITMQ_CONFIG_FILE=\(folder)/rabbitmq",
                    "RABBITMQ_ENABLED_PLUGINS_FILE=\(folder)/plugins",
                    "RABBITMQ_PID_FILE=\(folder)/pid", "ERL_EPMD_PORT=\(nodes[0])",
                    "ERL_EPMD_ADDRESS=127.0.0.1", "RABBITMQ_DIST_PORT=\(nodes[1])",
                    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+S 2:2",
                ], directory: "/", input: .pipe, output: .null, errors: .null))
    }

    private func awaitAnswer() throws {
        let pidfd = guardian.withLock { $0.pidfd.number }
        for _ in 0..<1200 {
            let answer = [port, managementPort].allSatisfy { port in
                guard
                    let socket = try? StreamSocket.connect(
                        host: "127.0.0.1", port: port, timeoutMilliseconds: 1_000)
                else { return false }
                socket.close()
                return true
            }
            if answer { return }
            let ended = try Poll.wait(fds: [PollInterest(pidfd)], timeoutMilliseconds: 100)
            if !ended.isEmpty { break }
        }
        let log = (try? Files.read("\(folder)/log", limitBytes: 1 << 20)) ?? []
        throw ServerFailure(
            "the broker does not start: \(String(decoding: log.suffix(2048), as: UTF8.self))")
    }
}
