import SluiceModel
import SluiceStore

struct TaskFields {
    let object: JSONObject
    /// The base of relative times such as `+5m`.
    let now: Timestamp

    func request() throws(QueueError) -> EnqueueRequest {
        guard let type = try text("type") else {
            throw QueueError(.badValue, "\"type\" is missing", fix: #"add "type":"NAME""#)
        }
        try Names.check(type, of: "type")
        var request = EnqueueRequest(type: type, payload: try payload())
        if case .string(let name)? = value("priority") {
            request.priorityName = name
        } else {
            request.ownPriority = try number("priority", in: .min ... .max).map(Int.init)
        }
        request.sortKey = try sortKey()
        request.groupStart = try text("groupStart")
        request.groupMembers = try texts("groupMembers")
        request.notBefore = try moment("notBefore")
        request.attemptLimit = try number("attemptLimit", in: 1...Int64(Int32.max)).map(Int.init)
        request.expiresAt = try moment("expiresAt")
        request.requires = try requirements()
        request.isRequired = try flag("required")
        if let key = try text("unique") {
            (request.uniqueKey, request.uniquePolicy) = UniquePolicy.split(key)
        }
        if let time = try text("uniqueFor") {
            guard let time = UniqueTime(text: time) else {
                throw wrong("uniqueFor", .string(time), "waiting, end, or a duration such as 10m")
            }
            request.uniqueTime = time
        }
        request.label = try text("label")
        request.headers = try headers()
        request.session = try text("session")
        request.clientString = try clientString()
        return request
    }

    /// The value of a key; null is as if it were not there.
    func value(_ key: String) -> JSONValue? {
        object[key].flatMap { $0.isNull ? nil : $0 }
    }

    func wrong(_ key: String, _ value: JSONValue, _ allowed: String) -> QueueError {
        let text = value.text
        let shown = text.utf8.count > 60 ? "\(text.prefix(60))…" : text
        let word = NumberText.excess(of: value.string ?? text).map { ", which is \($0)" } ?? ""
        return QueueError(
            .badValue, "\(key) is \(shown)\(word)", fix: "allowed: \(allowed)")
    }

    func payload() throws(QueueError) -> [UInt8] {
        switch (object["payload"], try bytes("payloadBase64")) {
        case (nil, nil): return []
        case (let value?, nil): return value.bytes
        case (nil, let bytes?): return bytes
        case (_?, _?):
            throw QueueError(
                .badValue, "both payload and payloadBase64", fix: "leave one of them away")
        }
    }

    private func requirements() throws(QueueError) -> Set<Requirement> {
        var found: Set<Requirement> = []
        for name in try texts("requires") {
            guard let requirement = Requirement(rawValue: name) else {
                let names = Requirement.allCases.map(\.rawValue)
                throw wrong("requires", .string(name), names.joined(separator: ", "))
            }
            found.insert(requirement)
        }
        return found
    }

    private func headers() throws(QueueError) -> [String: String] {
        guard let value = value("headers") else { return [:] }
        guard let headers = TaskHeaders.read(value) else {
            throw wrong("headers", value, "an object of strings")
        }
        return headers
    }

    private func clientString() throws(QueueError) -> ClientString? {
        switch (try text("clientString"), try bytes("clientStringBase64")) {
        case (let text?, nil): return ClientString(text)
        case (nil, let bytes): return bytes.map { ClientString(bytes: $0) }
        case (_?, _?):
            throw QueueError(
                .badValue, "both clientString and clientStringBase64",
                fix: "leave one of them away")
        }
    }

    func bytes(_ key: String) throws(QueueError) -> [UInt8]? {
        guard let value = value(key) else { return nil }
        guard let bytes = value.string.flatMap(Base64.decode) else {
            throw wrong(key, value, "bytes in base64")
        }
        return bytes
    }

    func text(_ key: String) throws(QueueError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw wrong(key, value, "a string") }
        return text
    }

    func texts(_ key: String) throws(QueueError) -> [String] {
        guard let value = value(key) else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw wrong(key, value, "an array of strings")
        }
        return texts.compactMap { $0 }
    }

    func number(
        _ key: String, in range: ClosedRange<Int64>
    ) throws(QueueError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw wrong(key, value, "a whole number" + (range.lowerBound > 0 ? " from 1" : ""))
        }
        return number
    }

    func flag(_ key: String) throws(QueueError) -> Bool {
        guard let value = value(key) else { return false }
        guard let flag = value.bool else { throw wrong(key, value, "true, false") }
        return flag
    }

    func moment(_ key: String) throws(QueueError) -> Timestamp? {
        guard let value = value(key) else { return nil }
        guard let moment = value.string.flatMap({ TimeText.moment($0, now: now) }) else {
            throw wrong(key, value, "a time such as 2026-01-31T14:03:22Z, or +5m")
        }
        return moment
    }

    func sortKey() throws(QueueError) -> SortKey? {
        guard let value = value("sortKey") else { return nil }
        if let number = value.integer { return .integer(number) }
        guard let text = value.string else { throw wrong("sortKey", value, "a number or a string") }
        return .text(text)
    }
}
