import SluiceForeignQueues
import SluiceModel

/// The console of other systems' queues.
extension ForeignInspector {
    func screen(_ opening: ScreenOpening) throws -> ScreenStore {
        do {
            return try opening.foreign(at: place)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
    }

    /// Which queues stay held.
    func partingWords() -> [String] {
        // The connection of the beginning may be gone.
        guard !common.isReadOnly, let queues = try? place.open().ask({ try $0.queues() }) else {
            return []
        }
        let placing = ForeignPlacing(place, host)
        return queues.compactMap { queue in
            guard let hold = queue.hold else { return nil }
            let leak = ForeignText.leak(queue)
            let command = "sluice \(ShellWord.command("resume", queue.name))"
            return "\(queue.name) stays held by \(hold.note.by), \(ForeignText.held(queue))"
                + placing.text("\(leak); \(command) gives back")
        }
    }
}
