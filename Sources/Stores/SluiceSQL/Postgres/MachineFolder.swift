import SluiceModel
import SluiceSystem

/// The folder for what the processes of one user on this machine have in common at one store: their
/// lock files (A2).
enum MachineFolder {
    /// The path of the folder, which the first attached process creates. Creates its parent if
    /// missing, with access for the owner only (P5).
    static func prepare(_ identity: String) throws(QueueError) -> String {
        do {
            try Files.makeDirectory(parent, mode: 0o700)
            // In a shared folder another user may have taken the name.
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
        QueueError(.denied, "\(path) belongs to another user", fix: advice)
    }

    /// The path of the folder, existing or not.
    static func path(of identity: String) -> String { "\(parent)/\(identity)" }

    private static var parent: String {
        let runtime = ProcessIdentity.environment("XDG_RUNTIME_DIR") ?? ""
        if !runtime.isEmpty { return "\(runtime)/sluice" }
        return "/tmp/sluice-\(ProcessIdentity.userID)"
    }
}
