import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Faults on the screen (G2).
extension Painter {
    /// The active faults, as far as they fit. `nil` without faults.
    func faultWords(room: Int) -> StyledLine {
        guard let faults = state.scene?.faults, let first = faults.first else {
            return StyledLine()
        }
        let sign = "\(separator)\(glyphs[.fault]) "
        var forms = ["\(sign)\(faults.count)"]
        if faults.count == 1 {
            let left =
                switch first.limit {
                case .times: first.left.map { ", \($0) left" } ?? ""
                case .chance(let chance, _): ", chance \(chance)"
                }
            forms.append("\(sign)fault \(first.number)")
            forms.append("\(sign)fault \(first.number) \(first.kind.words)\(left)")
        } else {
            forms.append("\(sign)\(faults.count) faults")
        }
        let fitting = forms.last { DisplayText.width($0) <= room }
        return fitting.map { StyledLine($0, .time) } ?? StyledLine()
    }

    /// The mark of a row with a fault in its next or its running attempt.
    func faultMark(_ line: TaskLine) -> StyledLine? {
        let isInjected = line.task.running?.injection != nil
        guard isInjected || state.list.page.faults[line.task.id] != nil else { return nil }
        return StyledLine(glyphs[.fault], isInjected ? .failed : .time)
    }
}
