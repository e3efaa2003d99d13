import SluiceRunner
import SluiceSystem

/// The common settings of `http`, `upload` and `download` in a handlers file.
struct WebSettings: Hashable, Sendable {
    /// Why an attempt cannot begin: the worker's environment lacks something.
    struct Unready: Error, Hashable {
        let sentence: String
    }

    var headers: [HeaderTemplate] = []
    /// The allowed hosts, as `name` or `name:port`; `nil` for all.
    var hosts: [String]?
    /// The status codes from 300 to 499 that fail a task; `nil` for all without a special rule.
    var giveUpOn: Set<Int>?
    var limits = HTTPRequest.Limits()
    /// The delay of the first retry within an attempt.
    var firstPauseMilliseconds: Int64 = 100
    /// How long a download waits for the lock of its temporary file.
    var lockPatienceMilliseconds: Int64 = 2000
    /// The environment of the runner by name.
    var environment: [String: String] = [:]
    /// The base folder for paths of credential files.
    var folder = "/"
    private static let credentialBytes = 64 << 10

    /// The headers of an attempt, and their secret values.
    func resolved(
        for execution: Execution
    ) throws(Unready) -> (headers: [HTTPHeader], secrets: Secrets) {
        let told = CommandEnvironment.variables(of: execution)
        var all = environment.merging(told) { $1 }
        var resolved: [HTTPHeader] = []
        var secrets: [String: String] = [:]
        for template in headers {
            for file in template.variables where file.hasPrefix(HeaderTemplate.filePrefix) {
                all[file] = try credential(file, for: template.name)
            }
            do throws(HeaderTemplate.Fault) {
                resolved.append(try template.header(all))
            } catch {
                throw Unready(
                    sentence: "the header \(template.name) cannot be sent: \(error.sentence)")
            }
            for name in template.variables where told[name] == nil { secrets[name] = all[name] }
        }
        return (resolved, Secrets(secrets))
    }

    /// The content of a file without trailing line ends.
    private func credential(_ file: String, for header: String) throws(Unready) -> String {
        let path = HandlersFile.absolute(
            String(file.dropFirst(HeaderTemplate.filePrefix.count)), from: folder)
        do throws(SystemError) {
            let bytes = try Files.read(path, limitBytes: Self.credentialBytes)
            let end = bytes.lastIndex { $0 != 10 && $0 != 13 }.map { $0 + 1 } ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        } catch {
            throw Unready(sentence: "the header \(header) cannot be sent: \(error.sentence)")
        }
    }

    /// A file of certificates that the environment names, as other programs read it.
    var certificates: String? {
        environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether requests to an address are allowed.
    func allows(_ url: HTTPURL) -> Bool {
        guard let hosts else { return true }
        return hosts.contains { $0 == url.host || $0 == "\(url.host):\(url.port)" }
    }
}
