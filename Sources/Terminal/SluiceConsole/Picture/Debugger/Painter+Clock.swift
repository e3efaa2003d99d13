import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The store's clock on the screen (G3).
extension Painter {
    /// `clock frozen at 14:03:22 (-5m)`; nil while it shows the real time.
    var clockWords: String? { clockState.map { "clock \($0)" } }

    /// `frozen at 14:03:22 (-5m)`; nil while it shows the real time.
    var clockState: String? {
        let time = state.storeTime
        let place =
            switch time {
            case .real, .offset: ""
            case .frozen: "frozen at "
            case .rate(let rate, _, _): "at rate \(StoreTime.text(rate: rate)), "
            }
        guard time != .real else { return nil }
        // Show the date only if it differs from the real date.
        let shown = clock.real.time(clock.now, seconds: time.rate == 0 || clock.ticks)
        return "\(place)\(shown) (\(ahead(time)))"
    }

    /// By how much it is ahead, in one unit.
    private func ahead(_ time: StoreTime) -> String {
        let offset = time.offset(at: clock.realNow)
        let seconds = Int64(clamping: offset.magnitude) / 1000
        let size =
            switch seconds {
            case ..<60: "\(seconds)s"
            case ..<3600: "\(seconds / 60)m"
            case ..<86_400: "\(seconds / 3600)h"
            default: "\(seconds / 86_400)d"
            }
        return (offset < 0 && !size.hasPrefix("0") ? "-" : "+") + size
    }
}
