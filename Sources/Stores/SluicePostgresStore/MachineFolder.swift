import SluiceModel
import SluicePlatform

/// The folder for what the processes of one user on this machine have in common at one store: their
/// lock files (A2).
enum MachineFolder {
    /// Where the folder is, or will be when the first process attaches; what it lies in is made,
    /// for its owner alone, where there is none (P5).
    static func prepare(_ identity: String) throws(QueueError) -> String {
        do {
            try Files.makeDirectory(parent, mode: 0o700)
            // In a folder for everybody somebody else may have taken the name.
            guard try Files.status(parent, followLinks: false)?.ownerID == ProcessIdentity.userID
            else { throw taken(parent) }
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError(.denied, "\(error)", fix: advice)
        }
        return path(of: identity)
    }

    private static let advice = "name a folder of your own in XDG_RUNTIME_DIR"

    private static func taken(_ path: String) -> QueueError {
        QueueError(.denied, "\(path) belongs to somebody else", fix: advice)
    }

    /// Where the folder is, or would be.
    static func path(of identity: String) -> String { "\(parent)/\(identity)" }

    private static var parent: String {
        let runtime = ProcessIdentity.environment("XDG_RUNTIME_DIR") ?? ""
        if !runtime.isEmpty { return "\(runtime)/sluice" }
        return "/tmp/sluice-\(ProcessIdentity.userID)"
    }
}
