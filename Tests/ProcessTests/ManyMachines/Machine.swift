import SluiceSystem
import SluiceTestSupport

/// A simulated machine: a network namespace with one cable, a host name, a boot id, and a wall
/// clock that may be wrong. It ends with this value or with this process, even after a crash.
final class Machine: Sendable {
    let name: String
    /// Its own end of the cable.
    let address: String
    /// This process's end of it.
    let near: String
    let clockMilliseconds: Int64
    private let keeper: ChildProcess
    private let folder: String
    private let cable: String

    /// Runs until standard input ends. The whole machine ends at that moment too.
    private static let script = """
        hostname "$1" && mount --bind "$2" /proc/sys/kernel/random/boot_id && ip link set lo up \\
            && echo ready && read -r word
        """

    /// Makes one: `number` is 1, 2 and so on.
    init(_ name: String, number: Int, clockMilliseconds: Int64 = 0, in place: Workplace) throws {
        (self.name, self.clockMilliseconds) = (name, clockMilliseconds)
        address = "198.18.\(number).1"
        near = "198.18.\(number).254"
        folder = place.file("\(name)-run")
        cable = "sluice\(ProcessIdentity.processID % 100_000)-\(number)"
        try place.makeFolder("\(name)-run")
        try place.write("\(name)-boot-\(number)\n", to: "\(name).boot")
        keeper = try ChildProcess.spawn(
            Spawn(
                "unshare",
                [
                    "--net", "--mount", "--uts", "sh", "-c", Self.script, "sh", name,
                    place.file("\(name).boot"),
                ],
                environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], input: .pipe,
                errors: .sameAsOutput))
        try awaitReady()
        let pid = String(keeper.processID)
        try Tool.run(
            "ip",
            ["link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", pid])
        try Tool.run("ip", ["addr", "add", "\(near)/24", "dev", cable])
        try Tool.run("ip", ["link", "set", cable, "up"])
        for words in [
            ["addr", "add", "\(address)/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
        ] {
            try Tool.run("nsenter", ["--target", pid, "--net", "ip"] + words)
        }
    }

    deinit {
        keeper.input?.close()
        _ = try? Poll.wait(
            fds: [PollInterest(keeper.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try? keeper.reap()
    }

    /// Cuts its cable midway: its packets disappear silently, and it receives none. Its end still
    /// looks connected, because without a carrier the system would not time out unanswered packets.
    func unplug() throws { try Tool.run("ip", ["addr", "del", "\(near)/24", "dev", cable]) }

    /// Puts its cable back.
    func plug() throws { try Tool.run("ip", ["addr", "add", "\(near)/24", "dev", cable]) }

    private func awaitReady() throws {
        guard let output = keeper.output else { return }
        let deadline = Deadline(seconds: 10)
        var said = ""
        while !said.contains("ready\n") {
            _ = try Poll.wait(
                fds: [PollInterest(output.number)], timeoutMilliseconds: deadline.leftMilliseconds)
            switch try output.read(atMost: 4096) {
            case .bytes(let bytes): said += String(decoding: bytes, as: UTF8.self)
            case .end: throw ManyFailure("\(name) cannot be made: \(said)")
            case .nothingYet:
                guard !deadline.isOver else { throw ManyFailure("\(name) is not made: \(said)") }
            }
        }
    }

    /// The words that run a program on it. `onlyNetwork` uses only its network namespace.
    func words(onlyNetwork: Bool = false) -> [String] {
        let all = onlyNetwork ? ["--net"] : ["--net", "--mount", "--uts"]
        return ["nsenter", "--target", String(keeper.processID)] + all + ["--"]
    }

    var environment: [String] {
        [
            "MANY_MACHINE=\(name)", "XDG_RUNTIME_DIR=\(folder)", "XDG_CONFIG_HOME=\(folder)/config",
            "XDG_STATE_HOME=\(folder)/state", "SLUICE_TEST_CLOCK=\(clockMilliseconds)",
        ]
    }
}
