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
}
