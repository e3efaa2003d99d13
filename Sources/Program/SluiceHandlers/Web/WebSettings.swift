import SluiceHTTPClient
import SluicePlatform
import SluiceRunner

/// What `http`, `upload` and `download` have in common in a handlers file.
struct WebSettings: Hashable, Sendable {
    /// Why an attempt cannot begin: the worker's environment lacks something.
    struct Unready: Error, Hashable {
        let sentence: String
    }

    var headers: [HeaderTemplate] = []
    /// The hosts that may be asked, by name or `name:port`; nil for any.
    var hosts: [String]?
    /// The answers from 300 to 499 that end a task; nil for all that have no rule of their own.
    var giveUpOn: Set<Int>?
    var limits = HTTPRequest.Limits()
    /// How long the first of the tries inside an attempt is put off.
    var firstPauseMilliseconds: Int64 = 100
    /// How long a download waits for the lock of its temporary file.
    var lockPatienceMilliseconds: Int64 = 2000
    /// The environment of the runner by name.
    var environment: [String: String] = [:]
    /// The folder from which the paths of credentials' files count.
    var folder = "/"
    private static let credentialBytes = 64 << 10

    /// The headers of an attempt, and what of them must never be shown.
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

    /// What stands in a file, without the ends of lines at its end.
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

    /// Whether an address may be asked.
    func allows(_ url: HTTPURL) -> Bool {
        guard let hosts else { return true }
        return hosts.contains { $0 == url.host || $0 == "\(url.host):\(url.port)" }
    }
}
