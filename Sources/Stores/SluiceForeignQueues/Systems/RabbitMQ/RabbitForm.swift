import SluiceModel

/// How a queue is held, as the arguments of its held queue say.
enum RabbitForm: Hashable, Sendable {
    /// Workers of Celery take from another queue by an order.
    case celery
    /// The keeper is the first consumer of the queue; the others get nothing. Messages of the
    /// bindings that were taken away go to the held queue without it.
    case consumers(sealed: [RabbitBinding])

    private static let key = "sluice-form"
    private static let consumers = "consumers"
    private static let bindings = "sluice-bindings"

    /// The form of a held queue, as the broker describes that.
    init(held told: JSONValue?) {
        let arguments = told?["arguments"]
        guard arguments?[Self.key]?.string == Self.consumers else {
            self = .celery
            return
        }
        let text = arguments?[Self.bindings]?.string ?? "[]"
        let told = (try? JSONValue.parse(Array(text.utf8)))?.array ?? []
        self = .consumers(sealed: told.compactMap { RabbitBinding(stored: $0) })
    }

    var arguments: JSONObject {
        guard case .consumers(let sealed) = self else { return [:] }
        return [
            Self.key: .string(Self.consumers),
            Self.bindings: .string(JSONValue.array(sealed.map(\.stored)).text),
        ]
    }

    /// The bindings that were taken away, so that no arrival reaches the queue by them.
    var sealed: [RabbitBinding] {
        if case .consumers(let sealed) = self { return sealed }
        return []
    }

    var isOfConsumers: Bool { self != .celery }

    /// The name of the method.
    var recipe: String {
        switch self {
        case .celery: "side queue"
        case .consumers(let sealed): sealed.isEmpty ? "guard" : "bindings"
        }
    }

    /// The leak while the keeper does not run; nil for none.
    var takenWithoutKeeper: String? {
        switch self {
        case .celery: "a worker that starts takes new tasks"
        case .consumers(let sealed): sealed.isEmpty ? "its consumers take new tasks" : nil
        }
    }
}

/// A binding of a queue to an exchange of its app.
struct RabbitBinding: Hashable, Sendable {
    var exchange: String
    var key: String
    var arguments: JSONObject

    /// One as the management interface lists it; nil for the default exchange.
    init?(listed told: JSONValue) {
        guard let exchange = told["source"]?.string, !exchange.isEmpty else { return nil }
        (self.exchange, key) = (exchange, told["routing_key"]?.string ?? "")
        arguments = told["arguments"]?.object ?? [:]
    }

    init?(stored: JSONValue) {
        guard let exchange = stored["exchange"]?.string else { return nil }
        (self.exchange, key) = (exchange, stored["key"]?.string ?? "")
        arguments = stored["arguments"]?.object ?? [:]
    }

    var stored: JSONValue {
        ["exchange": .string(exchange), "key": .string(key), "arguments": .object(arguments)]
    }
}

/// A pattern of a topic exchange: words, `*` for one, `#` for any number.
enum RabbitTopic {
    /// Whether some routing key matches both patterns.
    static func overlap(_ left: String, _ right: String) -> Bool {
        overlap(words(left), words(right))
    }

    private static func words(_ pattern: String) -> ArraySlice<Substring> {
        pattern.split(separator: ".", omittingEmptySubsequences: false)[...]
    }

    private static func overlap(
        _ left: ArraySlice<Substring>, _ right: ArraySlice<Substring>
    ) -> Bool {
        var row = Array(repeating: false, count: right.count + 1)
        row[0] = true
        for (place, word) in right.enumerated() { row[place + 1] = row[place] && word == "#" }
        for word in left {
            var next = Array(repeating: false, count: right.count + 1)
            next[0] = row[0] && word == "#"
            for (place, other) in right.enumerated() {
                // A `#` covers a further word of the other pattern, or none.
                next[place + 1] =
                    word == "#" || other == "#"
                    ? row[place + 1] || next[place]
                    : row[place] && (word == other || word == "*" || other == "*")
            }
            row = next
        }
        return row[right.count]
    }
}
