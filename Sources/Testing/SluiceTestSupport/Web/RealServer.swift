import SluiceSystem

/// An Apache of Debian's (`apache2-bin`) on the loopback address, which serves a folder with ranges
/// and takes files by PUT. The server ends with this object.
package final class RealServer: Sendable {
    package static let program = "/usr/sbin/apache2"

    /// The port of 127.0.0.1.
    package let port: UInt16
    package let folder: String
    /// The certificate for TLS, which no client trusts.
    package let certificate: String
    private let home: String
    private let child: ChildProcess
    private let isTLS: Bool

    /// Starts one. `kilobytesPerSecond` slows each of its answers; with `isTLS` it speaks https.
    package init(kilobytesPerSecond: Int? = nil, isTLS: Bool = false) throws {
        port = try Loopback.freePort()
        home = try Files.makeTemporaryDirectory(prefix: "sluice-web-")
        folder = "\(home)/www"
        certificate = "\(home)/certificate.pem"
        self.isTLS = isTLS
        try Files.makeDirectory(folder)
        try Files.makeDirectory("\(home)/run")
        // Started by root, it serves as an unprivileged user, which needs access to the files.
        try Self.run("chmod", ["0755", home], in: home)
        try Self.run("chmod", ["0777", folder, "\(home)/run"], in: home)
        if isTLS { try Self.makeCertificate(certificate, key: "\(home)/key.pem", in: home) }
        let text = Self.configuration(
            home: home, port: port, rate: kilobytesPerSecond, isTLS: isTLS)
        try Files.writeAtomically(Array(text.utf8), to: "\(home)/httpd.conf")
        let watch = try DirectoryWatch("\(home)/run")
        child = try ChildProcess.spawn(
            Spawn(
                Self.program, ["-f", "\(home)/httpd.conf", "-DFOREGROUND"],
                environment: ["PATH=/usr/bin:/bin", "LANG=C"], directory: home, output: .null,
                errors: .null))
        // It listens before it writes its number down.
        while !Files.exists("\(home)/run/pid") {
            let waits = watch.interests + [PollInterest(child.pidfd.number)]
            let ready = try Poll.wait(fds: waits, timeoutMilliseconds: 10_000)
            _ = try watch.drain()
            guard ready.contains(where: { $0.descriptor != child.pidfd.number }) else {
                let log = (try? Files.read("\(home)/run/error.log", limitBytes: 4096)) ?? []
                throw ServerFailure(
                    "\(Self.program) does not start: \(String(decoding: log, as: UTF8.self))")
            }
        }
    }

    deinit {
        _ = try? child.signalGroup(.kill)
        _ = try? Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try? child.reap()
        try? Files.removeTree(home)
    }

    /// The address of a file.
    package func url(_ name: String) -> String {
        "\(isTLS ? "https" : "http")://127.0.0.1:\(port)/\(name)"
    }

    /// Puts a file there that looks an hour old: younger ones have no strong tag.
    package func put(_ bytes: [UInt8], as name: String) throws {
        try Files.writeAtomically(bytes, to: "\(folder)/\(name)", mode: 0o644)
        try Self.run("touch", ["-d", "1 hour ago", "\(folder)/\(name)"], in: home)
    }

    private static func run(_ program: String, _ words: [String], in folder: String) throws {
        let child = try ChildProcess.spawn(
            Spawn(
                program, words, environment: ["PATH=/usr/bin:/bin"], directory: folder,
                output: .null, errors: .null))
        _ = try Poll.wait(
            fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 60_000)
        guard try child.reap() == .code(0) else { throw ServerFailure("\(program) failed") }
    }

    private static func makeCertificate(
        _ path: String, key: String, in folder: String
    ) throws {
        try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                "-out", path,
            ], in: folder)
    }

    private static func configuration(
        home: String, port: UInt16, rate: Int?, isTLS: Bool
    ) -> String {
        var modules = ["mpm_event", "authz_core", "dav", "dav_fs"]
        var lines = [
            "ServerName localhost", "ServerRoot \(home)", "PidFile run/pid",
            "Listen 127.0.0.1:\(port)", "ErrorLog run/error.log", "DocumentRoot \(home)/www",
            "DAVLockDB run/dav", "LimitRequestBody 0", "User nobody", "Group nogroup",
            "ServerLimit 1", "ThreadsPerChild 25", "MaxRequestWorkers 25",
            "<Directory \(home)/www>", "Require all granted", "Dav On", "</Directory>",
        ]
        if let rate {
            modules += ["env", "ratelimit"]
            lines += [
                "<Location />", "SetOutputFilter RATE_LIMIT", "SetEnv rate-limit \(rate)",
                "</Location>",
            ]
        }
        if isTLS {
            modules += ["ssl"]
            lines += [
                "SSLEngine on", "SSLCertificateFile certificate.pem",
                "SSLCertificateKeyFile key.pem",
            ]
        }
        let loads = modules.map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        return (loads + lines).map { "\($0)\n" }.joined()
    }
}
