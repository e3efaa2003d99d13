import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A change that waits for the person's permission.
enum CarefulChange: Hashable, Sendable {
    case verb(Verb)
    case step(StepRequest)
    /// A line of the command line.
    case command(String)
    case edit(TaskTarget)
}

/// Other systems' queues are often in production, so the first change of a session asks.
extension ConsoleState {
    /// Asks once a session and store before a change of another system's queues. Returns whether
    /// it asks.
    mutating func asksForCare(_ change: CarefulChange) -> Bool {
        guard scene?.names.isForeign == true, !allowedStores.contains(settings.storeName) else {
            return false
        }
        let (kind, place) = (settings.storeKind, settings.storeName)
        let whole = "allow changes to \(kind) at \(place) in this session?"
        let isShort = DisplayText.width(whole) + 8 <= size.width
        message = nil
        modal = .confirm(
            Confirmation(
                .allow(change),
                title: isShort ? whole : "allow changes to \(kind) in this session?",
                lines: (isShort ? [] : [StyledLine("at \(place)")])
                    + [StyledLine("y also does: \(words(for: change))", .quiet)], answer: .key))
        return true
    }

    /// Does the change that the person allowed, and further ones without a question.
    mutating func allow(_ change: CarefulChange) {
        allowedStores.insert(settings.storeName)
        switch change {
        case .verb(let verb): commit(verb)
        case .step(let request): start(request)
        case .command(let line): startCommand(line)
        case .edit(let target): edit(target)
        }
    }

    /// Lends the terminal to an editor with the payload of a task.
    mutating func edit(_ target: TaskTarget) {
        guard !asksForCare(.edit(target)) else { return }
        isEditing = true
        send(.edit(target))
    }

    private func words(for change: CarefulChange) -> String {
        switch change {
        case .verb(let verb): commandText(of: verb).of(verb)
        case .step(let request): commandText().of(request)
        case .command(let line): line
        case .edit(let target): "edit \(names.name(target.id))"
        }
    }
}
