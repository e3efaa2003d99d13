import SluiceModel
import SluiceSystem

/// The object under `http`, `upload` or `download` in a handlers file.
struct WebEntry {
    private static let common = ["headers", "giveUpOn", "connectTimeout", "stalledAfter"]
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    /// Status codes with a special rule.
    private static let ruled: Set<Int> = AnswerRule.later.union([401])

    private let fields: HandlerFields
    /// The folder of the handlers file.
    private let folder: String
    private let environment: [String]

    init(
        _ value: JSONValue, at place: HandlerPlace, folder: String, environment: [String]
    ) throws(QueueError) {
        fields = try HandlerFields(value, at: place)
        self.folder = folder
        self.environment = environment
    }

    func upload(timeout: Int64?) throws(QueueError) -> TransferHandler {
        try fields.refuseKeys(except: ["root", "hosts"] + Self.common)
        return TransferHandler(
            direction: .up, root: try root(), settings: try settings(),
            timeoutMilliseconds: timeout)
    }

    func download(timeout: Int64?) throws(QueueError) -> TransferHandler {
        try fields.refuseKeys(except: ["root", "hosts"] + Self.common)
        let settings = try settings()
        for header in settings.headers
        where TransferOrder.ownHeaders.contains(header.name.lowercased()) {
            let subject = fields.place.key("headers").key(header.name).subject
            throw fields.place.error(
                "\(subject) is for the download itself to set", fix: "take it out")
        }
        return TransferHandler(
            direction: .down, root: try root(), settings: settings, timeoutMilliseconds: timeout)
    }

    private func root() throws(QueueError) -> TransferRoot {
        guard let path = try fields.text("root") else {
            throw fields.place.error(
                "\(fields.place.subject) names no \"root\"",
                fix: "add the folder that its files lie below")
        }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw fields.bad("root", "\"\(path)\"", needed: "the path of a folder")
        }
        return TransferRoot(path: HandlersFile.absolute(path, from: folder))
    }

    /// `giveUpOn` gives the statuses that hold, from those of the entry.
    func http(
        timeout: Int64?, _ giveUpOn: (Set<Int>?) -> Set<Int>?
    ) throws(QueueError) -> HTTPHandler {
        try fields.refuseKeys(except: ["method", "url"] + Self.common)
        guard let address = try fields.text("url") else {
            throw fields.place.error(
                "\(fields.place.subject) names no \"url\"", fix: "add one: \(Self.example)")
        }
        let isAddress =
            (address.hasPrefix("http://") || address.hasPrefix("https://"))
            && address.utf8.allSatisfy { $0 > 32 && $0 != 127 }
        guard isAddress else { throw fields.bad("url", "\"\(address)\"", needed: Self.example) }
        let method = try fields.text("method") ?? "POST"
        guard Self.methods.contains(method) else {
            let all = Self.methods.joined(separator: ", ")
            throw fields.bad("method", "\"\(method)\"", needed: "one of \(all)")
        }
        var settings = try settings()
        settings.giveUpOn = giveUpOn(settings.giveUpOn)
        return HTTPHandler(
            address: address, method: method, settings: settings, timeoutMilliseconds: timeout)
    }

    private static let example = "an address such as http://127.0.0.1:8080/{type}"

    private func settings() throws(QueueError) -> WebSettings {
        var settings = WebSettings()
        settings.headers = try headers()
        settings.folder = folder
        settings.hosts = try hosts()
        settings.giveUpOn = try giveUpOn()
        if let connect = try fields.duration("connectTimeout", atLeast: 1) {
            settings.limits.connectMilliseconds = connect
        }
        if let stalled = try fields.duration("stalledAfter", atLeast: 1) {
            settings.limits.stalledMilliseconds = stalled
        }
        let pairs = environment.compactMap { entry -> (String, String)? in
            guard let sign = entry.firstIndex(of: "=") else { return nil }
            return (String(entry[..<sign]), String(entry[entry.index(after: sign)...]))
        }
        settings.environment = Dictionary(pairs) { first, _ in first }
        return settings
    }

    private func headers() throws(QueueError) -> [HeaderTemplate] {
        guard let value = fields.object["headers"] else { return [] }
        let place = fields.place.key("headers")
        let object = try HandlerFields(value, at: place).object
        var headers: [HeaderTemplate] = []
        var known: Set<String> = []
        for pair in object.pairs {
            guard let text = pair.value.string else {
                throw place.key(pair.key).wrongKind(pair.value, needed: "a string")
            }
            guard known.insert(pair.key.lowercased()).inserted else {
                throw place.error(
                    "\(place.subject) has \"\(pair.key)\" twice", fix: "keep one of them")
            }
            do throws(HeaderTemplate.Fault) {
                headers.append(try HeaderTemplate(pair.key, text))
            } catch {
                throw place.error(
                    "\(place.key(pair.key).subject): \(error.sentence)",
                    fix: "write it as \"Name\": \"text ${VARIABLE}\"")
            }
        }
        return headers
    }

    private func hosts() throws(QueueError) -> [String]? {
        guard let value = fields.object["hosts"] else { return nil }
        let needed = #"a list of hosts such as ["files.example.com", "127.0.0.1:8080"]"#
        guard let elements = value.array else {
            throw fields.place.key("hosts").wrongKind(value, needed: needed)
        }
        var hosts: [String] = []
        for element in elements {
            guard let host = element.string, !host.isEmpty else {
                throw fields.bad("hosts", value.text(indent: nil), needed: needed)
            }
            hosts.append(host.lowercased())
        }
        return hosts
    }

    private func giveUpOn() throws(QueueError) -> Set<Int>? {
        guard let value = fields.object["giveUpOn"] else { return nil }
        let needed = "a list of statuses from 300 to 499 such as [400]"
        guard let elements = value.array else {
            throw fields.place.key("giveUpOn").wrongKind(value, needed: needed)
        }
        var found: Set<Int> = []
        for element in elements {
            guard let number = element.integer, (300..<500).contains(number) else {
                throw fields.bad("giveUpOn", value.text(indent: nil), needed: needed)
            }
            let status = Int(number)
            guard !Self.ruled.contains(status) else {
                throw fields.place.error(
                    "\(fields.place.key("giveUpOn").subject) has \(status)",
                    fix: "drop it: it has another rule")
            }
            found.insert(status)
        }
        return found
    }
}
