import SluiceSystem

/// The folder that a handler's files lie below.
struct TransferRoot: Hashable, Sendable {
    let path: String

    /// Opens it; without it no task of the handler can go.
    func open() throws(WebSettings.Unready) -> OpenFolder {
        do throws(SystemError) {
            return try OpenFolder(path)
        } catch {
            throw WebSettings.Unready(
                sentence: "the root cannot be used: \(error.sentence); make that folder")
        }
    }

    /// The folder of a path below the root. Creates missing folders.
    static func folder(
        of path: RelativePath, below root: OpenFolder
    ) throws(SystemError) -> OpenFolder {
        var folder = root
        var known: [String] = []
        for name in path.folders {
            known.append(name)
            // Always from the root: a link may lead through another folder of it, never out.
            let whole = known.joined(separator: "/")
            do throws(SystemError) {
                folder = try root.folder(beneath: whole)
            } catch {
                guard error.isMissing, !error.isWrongKind else { throw error }
                try folder.makeFolder(name)
                folder = try root.folder(beneath: whole)
            }
        }
        return folder
    }
}
