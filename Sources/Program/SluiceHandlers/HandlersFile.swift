package import SluiceModel
package import SluiceRunner
import SluiceSystem

/// The JSON file that says which handler runs which type of task (`--handlers FILE`).
package enum HandlersFile {
    /// How large a file may be.
    package static let limitBytes = 1 << 20

    /// Reads and checks a whole file. An error (`badHandlers`) names the file, type and key.
    ///
    /// Commands run in the file's folder with `environment` (NAME=VALUE). Program paths are
    /// relative to that folder. A missing program is detected only at its start.
    package static func read(
        _ path: String, environment: [String], defaults: HandlerDefaults = HandlerDefaults()
    ) throws(QueueError) -> HandlerTable {
        let bytes: [UInt8]
        let folder: String
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: limitBytes)
            folder = try Files.realPath(Files.parent(of: path))
        } catch {
            throw QueueError(
                .badHandlers, error.sentence, fix: "name a handlers file that can be read")
        }
        return try parse(bytes, file: path, folder: folder, environment: environment, defaults)
    }

    /// A path as it counts from the file's folder.
    static func absolute(_ path: String, from folder: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder == "/" ? "/\(rest)" : "\(folder)/\(rest)"
    }

    private static func parse(
        _ bytes: [UInt8], file: String, folder: String, environment: [String],
        _ defaults: HandlerDefaults
    ) throws(QueueError) -> HandlerTable {
        let text: [UInt8]
        do throws(QueueError) {
            text = try ByteOrderMark.removed(from: bytes)
        } catch {
            throw QueueError(.badHandlers, "\(file): \(error.message)", fix: error.fix)
        }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue.parse(text, allowsRepeatedKeys: false)
        } catch {
            throw QueueError(.badHandlers, "\(file), \(error)", fix: "fix that line")
        }
        let place = HandlerPlace(file: file)
        let top = try HandlerFields(document, at: place)
        try top.refuseKeys(except: ["handlers"])
        guard let entries = top.object["handlers"] else {
            throw place.error("there is no \"handlers\"", fix: HandlerPlace.example)
        }
        let types = try HandlerFields(entries, at: place.key("handlers"))
        guard !types.object.isEmpty else {
            throw place.error("\"handlers\" is empty", fix: HandlerPlace.example)
        }
        var handlers = HandlerTable()
        let tapes = TapeCache()
        for pair in types.object.pairs {
            let entry = HandlerEntry(
                place: HandlerPlace(file: file, type: pair.key), folder: folder,
                environment: environment, tapes: tapes, defaults: defaults)
            for (place, handler) in try entry.handlers(pair.value) {
                try add(handler, type: pair.key, for: place, to: &handlers, in: file)
            }
        }
        return handlers
    }

    private static func add(
        _ handler: any TaskHandler, type: String, for place: HandlerTable.Place,
        to handlers: inout HandlerTable, in file: String
    ) throws(QueueError) {
        do throws(QueueError) {
            try handlers.add(handler, type: type, for: place)
        } catch {
            throw HandlerPlace(file: file, type: type).error(error.message, fix: error.fix)
        }
    }
}
