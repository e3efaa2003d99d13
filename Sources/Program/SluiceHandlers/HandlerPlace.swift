import SluiceModel

/// A location in a handlers file, for errors.
struct HandlerPlace {
    static let example =
        #"write {"handlers": {"TYPE": {"command": ["./run.sh"]}}}"#

    let file: String
    var type: String?
    var path: [String] = []

    /// The place of a key below this one.
    func key(_ name: String) -> HandlerPlace {
        HandlerPlace(file: file, type: type, path: path + [name])
    }

    /// The key of this place, or the whole of it, in quotes.
    var subject: String {
        guard path.isEmpty else { return "\"\(path.joined(separator: "."))\"" }
        return type == nil ? "the file" : "the handler"
    }

    func error(_ message: String, fix: String) -> QueueError {
        let handler = type.map { " handler \"\($0)\":" } ?? ""
        return QueueError(.badHandlers, "\(file):\(handler) \(message)", fix: fix)
    }

    func wrongKind(_ value: JSONValue, needed: String) -> QueueError {
        error("\(subject) is \(value.kindName)", fix: "it must be \(needed)")
    }
}
