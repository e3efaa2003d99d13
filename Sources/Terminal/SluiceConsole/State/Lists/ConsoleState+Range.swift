import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Marks of several rows, and the order by a heading.
extension ConsoleState {
    /// Marks the rows that the cursor passes.
    mutating func markRange(by rows: Int) {
        if let reason = DisabledReasons(state: self).reason(.mark) {
            message = .refusal(reason)
            return
        }
        markRow()
        move(.rows(rows))
        markRow()
    }

    private mutating func markRow() {
        recordMove()
        guard let task = selectedLine?.task, !marks.contains(task.id) else { return }
        marks.toggle(task)
    }

    /// Sorts by the column of a heading, or as tasks run where it is sorted by that column.
    mutating func clickHeading(x: Int) {
        let painter = Painter(self, size: size)
        let table = painter.inventoryTable
        let column = table.frames.last { painter.contentX + $0.x <= x }.map {
            table.shown[$0.index]
        }
        guard let wanted = column?.order else {
            message = .refusal("the list is not sorted by that column")
            return
        }
        if let reason = DisabledReasons(state: self).reason(.order) {
            message = .refusal(reason)
            return
        }
        sort(order == wanted ? .running : wanted)
    }
}

extension InventoryColumn {
    /// The order that a click on the heading gives.
    fileprivate var order: ListOrder? {
        switch name {
        case nil: .number
        case .tries: .tries
        case .took: .duration
        case .age: .age
        case .changed: .change
        case .state: .error
        case .queue, .type, .group, .priority, .need, .about, .label, .session: nil
        }
    }
}
