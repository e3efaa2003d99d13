import SluiceModel
import SluiceSystem

/// The name of something that an export makes.
enum NewPlace {
    /// Throws where something has the name already.
    static func check(_ path: String) throws(QueueError) {
        guard !path.isEmpty else {
            throw QueueError(.badValue, "the name of the export is empty", fix: "name a new file")
        }
        if Files.kind(path, followLinks: false) != nil { throw taken(path) }
    }

    /// The temporary folder for an unfinished export.
    static func folder(for path: String) throws(QueueError) -> UnfinishedFolder {
        do throws(SystemError) {
            return try UnfinishedFolder(for: path)
        } catch {
            throw refused(error, path)
        }
    }

    /// Moves the finished part to its final path.
    static func take(
        _ part: String, of folder: UnfinishedFolder, as path: String
    ) throws(QueueError) {
        let isNamed: Bool
        do throws(SystemError) {
            isNamed = try folder.finish(part)
        } catch {
            throw refused(error, path)
        }
        if !isNamed { throw taken(path) }
    }

    /// The error for a system error at the target of an export.
    static func refused(_ error: SystemError, _ path: String) -> QueueError {
        QueueError(
            error.isFull ? .diskFull : .denied, "\(path) was not written: \(error.sentence)",
            fix: "name a file in a folder that may be written and has room")
    }

    private static func taken(_ path: String) -> QueueError {
        QueueError(
            .notLegal, "\(path) is there already, and an export replaces nothing",
            fix: "name a new one; sluice import adds to a store that is there")
    }
}
