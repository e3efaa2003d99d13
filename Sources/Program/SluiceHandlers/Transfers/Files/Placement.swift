import SluiceModel
import SluiceSystem

/// The destination of a download, in an open folder.
struct Placement {
    enum Result: Hashable {
        /// The file has its name.
        case placed
        /// The name is taken; the content has another name.
        case kept(as: String)
    }

    private static let mostKept = 100

    let folder: OpenFolder
    let path: RelativePath
    let task: TaskID
    let overwrites: Bool
    let mark: FileMark

    private var name: String { path.name }

    /// The outcome of an earlier attempt that already placed its file; `nil` without one. If its
    /// destination was taken, tries again to place the kept content.
    func earlier(_ part: PartName) throws(SystemError) -> HandlerOutcome? {
        guard let result = try earlier() else { return nil }
        try folder.remove(part.part)
        try folder.remove(part.state)
        return outcome(result, bytes: try folder.status(name)?.sizeBytes ?? 0)
    }

    private func earlier() throws(SystemError) -> Result? {
        if try isOurs(name) { return .placed }
        for number in 1...Self.mostKept {
            let kept = PartName.kept(name, task: task, number: number)
            guard try folder.status(kept) != nil else { return nil }
            if try isOurs(kept) { return try place(kept, isKept: true) }
        }
        return nil
    }

    func outcome(_ result: Result, bytes: Int64) -> HandlerOutcome {
        switch result {
        case .placed:
            let object: JSONValue = [
                "destination": .string(path.text), "bytes": .integer(bytes),
            ]
            return .success(result: Array(object.text(indent: nil).utf8))
        case .kept(let kept):
            let beside = (path.folders + [kept]).joined(separator: "/")
            return .giveUp(
                error: "\(path.text) exists already and stays as it is; what came is kept as "
                    + "\(beside)")
        }
    }

    /// Renames a complete file to its final name, durably and atomically.
    func place(_ file: String, isKept: Bool = false) throws(SystemError) -> Result {
        do throws(SystemError) {
            try folder.rename(file, to: name, replacing: overwrites)
            try folder.sync()
            return .placed
        } catch {
            // A folder is not replaced either.
            guard error.isTaken || error.isWrongKind else { throw error }
            return isKept ? .kept(as: file) : try keep(file)
        }
    }

    private func keep(_ file: String) throws(SystemError) -> Result {
        var number = 1
        while true {
            let kept = PartName.kept(name, task: task, number: number)
            do throws(SystemError) {
                try folder.rename(file, to: kept, replacing: false)
                try folder.sync()
                return .kept(as: kept)
            } catch {
                guard error.isTaken, number < Self.mostKept else { throw error }
                number += 1
            }
        }
    }

    private func isOurs(_ name: String) throws(SystemError) -> Bool {
        try folder.reading(name).map(mark.isOn) ?? false
    }
}
