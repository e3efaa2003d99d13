import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What the screen says of faults (G2).
extension Painter {
    /// Which faults stand, as far as there is room; nothing where none does.
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

    /// The sign of a row whose next attempt, or the one that goes on, has a fault.
    func faultMark(_ line: TaskLine) -> StyledLine? {
        let isInjected = line.task.running?.injection != nil
        guard isInjected || state.list.page.faults[line.task.id] != nil else { return nil }
        return StyledLine(glyphs[.fault], isInjected ? .failed : .time)
    }
}
