import SluiceControl
import SluiceModel

/// The options of `queue set`.
extension CommandLineParser {
    static func settings(_ arguments: Arguments) throws(QueueError) -> [SettingChange] {
        let type = try arguments.name("--type", of: "type")
        var changes: [SettingChange] = []
        for setting in QueueSetting.allCases {
            guard let text = arguments.text(setting.option) else { continue }
            if let type {
                changes.append(try setting.change(text, ofType: type))
            } else {
                changes.append(try setting.change(text))
            }
        }
        guard type == nil || !changes.isEmpty else {
            let options = QueueSetting.ofTypes.map(\.option).joined(separator: ", ")
            throw .usage("--type is without a setting: \(options)", of: arguments.command)
        }
        return changes
    }
}
