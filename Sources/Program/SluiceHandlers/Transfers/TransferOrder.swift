import SluiceModel
import SluiceSystem

/// The payload of an upload or download.
struct TransferOrder: Hashable, Sendable {
    /// The error of an invalid payload; a retry is useless (A4).
    struct Fault: Error, Hashable {
        let sentence: String
    }

    let url: HTTPURL
    let headers: [HTTPHeader]
    /// The file below the root: an upload's source, a download's destination.
    let path: RelativePath
    var method = "GET"
    /// Whether a download replaces an existing file.
    var overwrites = false

    /// Decodes `{"url","method","headers","source"}`; the default method is PUT.
    static func upload(_ payload: [UInt8]) throws -> TransferOrder {
        let fields = try Fields(payload, known: ["url", "method", "headers", "source"])
        var order = try fields.order(path: "source")
        order.method = try fields.text("method") ?? "PUT"
        guard ["PUT", "POST", "PATCH"].contains(order.method) else {
            throw Fault(sentence: "the payload's method is not PUT, POST or PATCH")
        }
        return order
    }

    /// Decodes `{"url","headers","destination","overwrite"}`; by default nothing is overwritten.
    static func download(_ payload: [UInt8]) throws -> TransferOrder {
        let fields = try Fields(payload, known: ["url", "headers", "destination", "overwrite"])
        var order = try fields.order(path: "destination")
        if let header = order.headers.first(where: { ownHeaders.contains($0.key) }) {
            throw Fault(sentence: HTTPHeader.Fault.reserved(header.name).sentence)
        }
        if let value = fields.object["overwrite"], !value.isNull {
            guard let overwrites = value.bool else {
                throw Fault(sentence: "the payload's overwrite is \(value.kindName)")
            }
            order.overwrites = overwrites
        }
        return order
    }

    /// The headers that resume a download.
    static let ownHeaders: Set<String> = ["range", "if-range"]
}

/// The payload's object, read with checks.
private struct Fields {
    let object: JSONObject

    init(_ payload: [UInt8], known: [String]) throws {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(payload)
        } catch {
            throw TransferOrder.Fault(sentence: "the payload is not JSON: \(error)")
        }
        guard let object = value.object else {
            throw TransferOrder.Fault(
                sentence: "the payload is \(value.kindName); it must be an object")
        }
        self.object = object
        for key in object.keys where !known.contains(key) {
            let near = Spelling.nearest(to: key, among: known)
            let hint = near.map { "did you mean \"\($0)\"?" }
            throw TransferOrder.Fault(
                sentence: "the payload has no key \"\(key)\"; "
                    + (hint ?? "its keys are \(known.joined(separator: ", "))"))
        }
    }

    func order(path key: String) throws -> TransferOrder {
        let text = try needed(key)
        guard let path = RelativePath(text) else {
            throw TransferOrder.Fault(
                sentence: "the payload's \(key) \"\(text)\" is no path below the root")
        }
        let address = try needed("url")
        do {
            return TransferOrder(
                url: try HTTPURL(address), headers: try headers(), path: path)
        } catch HTTPFailure.badURL(let reason) {
            throw TransferOrder.Fault(sentence: "the payload's url cannot be used: \(reason)")
        }
    }

    func text(_ key: String) throws -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.string else {
            throw TransferOrder.Fault(
                sentence: "the payload's \(key) is \(value.kindName); it must be a string")
        }
        return text
    }

    private func needed(_ key: String) throws -> String {
        guard let text = try text(key), !text.isEmpty else {
            throw TransferOrder.Fault(sentence: "the payload has no \(key)")
        }
        return text
    }

    private func headers() throws -> [HTTPHeader] {
        guard let value = object["headers"], !value.isNull else { return [] }
        guard let pairs = value.object?.pairs else {
            throw TransferOrder.Fault(
                sentence: "the payload's headers are \(value.kindName); they must be an object")
        }
        return try pairs.map { pair in
            guard let text = pair.value.string else {
                throw TransferOrder.Fault(
                    sentence: "the payload's header \(pair.key) is \(pair.value.kindName); "
                        + "it must be a string")
            }
            do throws(HTTPHeader.Fault) {
                return try HTTPHeader(pair.key, text)
            } catch {
                throw TransferOrder.Fault(sentence: "the payload: \(error.sentence)")
            }
        }
    }
}
