import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// The console of other systems' queues.
extension ForeignInspector {
    /// Shows them until the person leaves it, and says then which queues stay held.
    func show(_ start: ConsoleStart) throws -> ExitCode {
        do {
            let own = try PersonalSettings(start, host.environment)
            let opening = ScreenOpening(
                host: host, common: common, handlers: start.handlers, person: person)
            try opening.show(opening.foreign(at: place), start, own)
        } catch let error as QueueError {
            throw Failed(error, exit: ExitCode(error, atOpening: true))
        }
        sayWhatStaysHeld()
        return .done
    }

    private func sayWhatStaysHeld() {
        guard !common.isReadOnly, let queues = try? ask({ try $0.queues() }) else { return }
        let placing = ForeignPlacing(place, host)
        for queue in queues {
            guard let hold = queue.hold else { continue }
            let command = "sluice \(ShellWord.command("resume", queue.name))"
            let line =
                "\(queue.name) stays held by \(hold.note.by), \(queue.held) waiting aside: "
                + placing.text("\(command) gives back")
            try? host.write(SafeText.visible(line) + "\n", .output)
        }
    }
}
