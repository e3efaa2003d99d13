import SluiceModel
import SluiceSystem

/// An app of Celery by its transport options that name keys.
struct CeleryApp: Hashable, Sendable {
    /// Kombu's separator, unless the option `sep` gives another one.
    static let standardSeparator = "\u{6}\u{16}"

    /// The option `global_keyprefix`, which goes before every key.
    var prefix = ""
    /// The `sep` option, which separates a queue's name from a priority.
    var separator = standardSeparator
    /// The `control_exchange` setting, which addresses control messages to the workers.
    var control = "celery"

    func key(_ name: String) -> String { prefix + name }
}

/// The queues of all apps in a database, out of the bindings of their exchanges.
struct CeleryLayout {
    static let bindings = "_kombu.binding."
    /// The prefix of side lists. Workers take stepped tasks from a side list.
    static let sidePrefix = "sluice-step."

    /// The app of a queue, and the queue's name in that app.
    struct Place: Hashable {
        var app: CeleryApp
        /// Its name in its app, without the prefix of its keys.
        var name: String
    }

    /// The prefix, exchange and routing key of a queue's binding.
    private struct Route: Hashable {
        var prefix: ExactText
        var exchange: ExactText
        var key: ExactText

        init(_ prefix: String, _ exchange: String, _ key: String) {
            (self.prefix, self.exchange) = (ExactText(prefix), ExactText(exchange))
            self.key = ExactText(key)
        }
    }

    /// The queues, by the names of their first lists.
    private(set) var queues: [ExactText: Place] = [:]
    /// The apps, those without queues too.
    private(set) var apps: [CeleryApp] = []
    /// The keys of bindings whose members have an unknown form.
    private(set) var unread: [String] = []
    private var routes: [Route: String] = [:]

    /// Reads the members of the keys of bindings.
    init(_ bindings: [(key: String, members: [String])]) {
        var controls: [ExactText: String] = [:]
        var found: [(prefix: String, exchange: String, parts: Parts)] = []
        for (key, members) in bindings {
            guard let (prefix, exchange) = Self.parts(ofKey: key) else { continue }
            if exchange.hasSuffix(Self.controlEnd) {
                guard !exchange.hasPrefix("reply.") else { continue }
                let name = String(exchange.dropLast(Self.controlEnd.count))
                // The one of the default name wins, so that the answer is always the same.
                controls[prefix] = min(controls[prefix] ?? name, name)
                continue
            }
            guard !Self.isOwnTool(exchange) else { continue }
            for member in members {
                guard let parts = Parts(member, exchange: exchange) else {
                    unread.append(key)
                    continue
                }
                if !Self.isOwnTool(parts.queue) { found.append((prefix, exchange, parts)) }
            }
        }
        var separators: [ExactText: String] = [:]
        for one in found where one.parts.separator != CeleryApp.standardSeparator {
            separators[one.prefix] = one.parts.separator
        }
        func app(_ prefix: String) -> CeleryApp {
            CeleryApp(
                prefix: prefix, separator: separators[prefix] ?? CeleryApp.standardSeparator,
                control: controls[prefix] ?? "celery")
        }
        for one in found {
            let name = one.prefix + one.parts.queue
            queues[name] = Place(app: app(one.prefix), name: one.parts.queue)
            routes[Route(one.prefix, one.exchange, one.parts.key)] = name
        }
        apps = Set(texts: found.map(\.prefix) + [""]).union(controls.keys).texts.map(app)
    }

    private static let controlEnd = ".pidbox"

    /// Whether a queue has the events, orders or answers of workers.
    static func isControl(_ queue: String) -> Bool {
        queue.hasPrefix("celeryev.") || queue.hasSuffix(controlEnd)
    }

    /// Whether a queue has events or answers, which other programs than workers read too.
    static func isListener(_ queue: String) -> Bool {
        queue.hasPrefix("celeryev.") || queue.hasSuffix(".reply.celery" + controlEnd)
    }

    /// Whether a name belongs to an exchange or queue of events, or of a step.
    private static func isOwnTool(_ name: String) -> Bool {
        name.hasPrefix("celeryev") || name.hasPrefix(sidePrefix)
    }

    private static func parts(ofKey key: String) -> (prefix: String, exchange: String)? {
        let (text, mark) = (Array(key.utf8), Array(bindings.utf8))
        guard text.count >= mark.count else { return nil }
        for place in 0...(text.count - mark.count) where text[place...].starts(with: mark) {
            return (
                String(decoding: text[..<place], as: UTF8.self),
                String(decoding: text[(place + mark.count)...], as: UTF8.self)
            )
        }
        return nil
    }

    /// The queue that a message went to.
    func queue(_ app: CeleryApp, exchange: String, key: String) -> String {
        if exchange.isEmpty { return app.prefix + key }
        if let name = routes[Route(app.prefix, exchange, key)] {
            return name
        }
        // A topic exchange routes by pattern: use its queue if it has only one.
        let (prefix, exchange) = (ExactText(app.prefix), ExactText(exchange))
        let own = Set(
            texts: routes.filter { $0.key.prefix == prefix && $0.key.exchange == exchange }.values)
        return own.count == 1 ? own.first?.text ?? key : app.prefix + key
    }

    /// The place of a queue. A queue without a binding belongs to an app with default options.
    func place(of queue: String) -> Place {
        queues[queue] ?? Place(app: CeleryApp(), name: queue)
    }

    /// The keys of bindings of an app whose members have an unknown form.
    func unread(of app: CeleryApp) -> [String] {
        unread.filter { Self.parts(ofKey: $0)?.prefix.isSame(as: app.prefix) == true }
    }
}

extension CeleryLayout {
    /// A member of a binding: a routing key, a pattern and a queue.
    private struct Parts {
        var separator: String
        var key: String
        var queue: String

        /// Decodes a binding; `nil` for an unknown separator. An unusual separator can be found
        /// only if the routing key and the queue both have the exchange's name, which is the
        /// default.
        init?(_ member: String, exchange: String) {
            let standard = CeleryApp.standardSeparator
            let parts = member.split(separator: standard, omittingEmptySubsequences: false)
            if parts.count == 3 {
                (separator, key, queue) = (standard, String(parts[0]), String(parts[2]))
                return
            }
            let (text, name) = (Array(member.utf8), Array(exchange.utf8))
            let count = text.count - 2 * name.count
            guard count >= 2, count.isMultiple(of: 2), text.starts(with: name),
                text.suffix(name.count).elementsEqual(name)
            else { return nil }
            let middle = text[name.count..<(name.count + count)]
            guard middle.prefix(count / 2).elementsEqual(middle.suffix(count / 2)) else {
                return nil
            }
            separator = String(decoding: middle.prefix(count / 2), as: UTF8.self)
            (key, queue) = (exchange, exchange)
        }
    }
}
