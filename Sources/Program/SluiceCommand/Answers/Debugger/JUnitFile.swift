import SluiceModel
import SluiceSystem

/// One case of a JUnit file.
struct JUnitCase: Hashable, Sendable {
    var name: String
    /// How long it took.
    var milliseconds: Int64 = 0
    /// The failed expectation in a sentence; `nil` if it held.
    var failure: String?
    /// The failure with all details, line by line.
    var lines: [String] = []
    /// The reason the expectation could not be evaluated.
    var error: String?

    /// A suite with this case alone, so that counts of others need no change.
    var text: String {
        let seconds = "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
        let counts =
            "tests=\"1\" failures=\"\(failure == nil ? 0 : 1)\" errors=\"\(error == nil ? 0 : 1)\""
        var body = ""
        if let failure {
            body =
                "\n      <failure message=\"\(Self.escaped(failure))\">"
                + lines.map(Self.escaped).joined(separator: "\n") + "</failure>\n    "
        } else if let error {
            body = "\n      <error message=\"\(Self.escaped(error))\"/>\n    "
        }
        return "  <testsuite name=\"sluice expect\" \(counts) time=\"\(seconds)\">\n"
            + "    <testcase classname=\"sluice\" name=\"\(Self.escaped(name))\""
            + " time=\"\(seconds)\">\(body)</testcase>\n  </testsuite>\n"
    }

    /// Escapes a text for XML 1.0. A character that XML forbids appears as its number.
    static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "\n": out += "&#10;"
            case "\t": out += "&#9;"
            default:
                let isAllowed =
                    scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                    && scalar.value & 0xFFFE != 0xFFFE
                if isAllowed {
                    out.unicodeScalars.append(scalar)
                } else {
                    out += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
        return out
    }
}

/// A JUnit file for appended cases.
struct JUnitFile: Hashable, Sendable {
    private let path: String
    private static let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    private static let end = "</testsuites>"
    private static let limitBytes = 64 << 20

    init(_ path: String) { self.path = path }

    /// Throws if a case cannot be added.
    func check() throws(QueueError) { _ = try head() }

    /// Appends a case. The file is complete at any moment, and concurrent calls wait for each
    /// other.
    func add(_ one: JUnitCase) throws(QueueError) {
        let lock = try locked()
        defer { try? lock.removeAndRelease() }
        let text = try head() + one.text + Self.end + "\n"
        do throws(SystemError) {
            try Files.writeAtomically(Array(text.utf8), to: path, mode: 0o644)
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Locks the file; waits up to five seconds for other processes.
    private func locked() throws(QueueError) -> FileLock {
        do throws(SystemError) {
            for _ in 0..<200 {
                if let lock = try FileLock.tryLock("\(path).lock") { return lock }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 25)
            }
        } catch {
            throw Self.refusal(error)
        }
        throw QueueError(
            .denied, "\(path).lock is held by another program",
            fix: "wait for it, or name another file with --junit")
    }

    private static func refusal(_ error: SystemError) -> QueueError {
        QueueError(.denied, error.sentence, fix: "name another file with --junit")
    }

    /// The file's text before its closing tag, or the start of a new file.
    private func head() throws(QueueError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: Self.limitBytes)
        } catch {
            if error.isMissing { return Self.start }
            throw Self.refusal(error)
        }
        guard !bytes.isEmpty else { return Self.start }
        let text = String(decoding: bytes, as: UTF8.self)
        var whole = text[...]
        while whole.last?.isWhitespace ?? false { whole.removeLast() }
        guard whole.hasSuffix(Self.end), text.contains("<testsuites") else {
            throw .badValue(
                "--junit", path, allowed: "a new file, or one that ends with \(Self.end)")
        }
        return String(whole.dropLast(Self.end.count))
    }
}
