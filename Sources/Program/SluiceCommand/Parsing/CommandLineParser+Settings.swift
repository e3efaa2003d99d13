import SluiceControl
import SluiceModel

/// The options of `queue set`.
extension CommandLineParser {
    static func settings(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        var changes: [SettingChange] = []
        for setting in QueueSetting.allCases {
            guard let text = arguments.text(setting.option) else { continue }
            changes.append(try setting.change(text))
        }
        return changes
    }

    /// A count of at least 1, or nil for `none`.
    static func countOrNone(_ text: String, of name: String) throws(QueueError) -> Int? {
        if text == "none" { return nil }
        guard let count = Int32(text), count > 0 else {
            throw .badValue(name, text, allowed: "none, or a whole number of at least 1")
        }
        return Int(count)
    }

    /// `yes` or `no`.
    static func yesOrNo(_ text: String, of name: String) throws(QueueError) -> Bool {
        switch text {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw .badValue(name, text, allowed: "yes, no")
        }
    }
}
