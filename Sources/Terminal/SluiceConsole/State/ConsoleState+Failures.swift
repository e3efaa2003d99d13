import SluiceControl
import SluiceModel

/// What is done with a row of view 5: with all failed tasks of one kind of error.
extension ConsoleState {
    /// The row under the cursor of view 5.
    var selectedFailure: FailureGroup? {
        guard view == .failures, page == nil, case .failure(let kind)? = cursors[.failures]?.key
        else { return nil }
        return scene?.failures.first { $0.kind == kind }
    }

    /// Whether the action is about a row of view 5, and was done.
    mutating func performOnFailures(_ id: Action.ID) -> Bool {
        guard let failure = selectedFailure else { return false }
        switch id {
        case .detail:
            show(.inventory)
            setFilter(failure.filter())
        case .retry:
            let filter = failure.filter(in: isAll ? nil : selectedQueue).description
            startCommand("retry --filter \(ShellWord.quoted(filter))")
        default: return false
        }
        return true
    }
}
