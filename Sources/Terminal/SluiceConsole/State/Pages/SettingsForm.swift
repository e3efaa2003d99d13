import SluiceControl
import SluiceModel

/// The settings of a queue as a form: each with its value, the one of its preset, and whether the
/// two differ (Q11).
struct SettingsForm: Hashable {
    struct Row: Hashable {
        var setting: QueueSetting
        /// The typed value; `nil` if the settings have none.
        var value: String?
        /// The value that the preset gives.
        var ground: String?
        var differs: Bool
    }

    let queue: String
    let settings: QueueSettings
    let rows: [Row]

    init(_ record: QueueRecord) {
        queue = record.name
        settings = record.settings
        let (settings, ground) = (record.settings, record.settings.ground)
        rows = QueueSetting.allCases.compactMap { setting in
            if setting == .preset {
                return Row(
                    setting: setting, value: settings.preset ?? "none", ground: nil, differs: false)
            }
            let value = settings.change(for: setting)?.text
            let usual = ground.change(for: setting)?.text
            guard value != nil || usual != nil else { return nil }
            return Row(setting: setting, value: value, ground: usual, differs: value != usual)
        }
    }

    /// The name of the settings used for comparison.
    var groundName: String { settings.preset ?? "a new queue" }

    /// How many lines differ.
    var differing: Int { rows.filter(\.differs).count }

    func changes(by preset: QueueSettings) -> [Row] {
        settings.differences(from: preset).filter { $0 != .preset }.map { setting in
            Row(
                setting: setting, value: preset.change(for: setting)?.text,
                ground: settings.change(for: setting)?.text, differs: true)
        }
    }

    /// The row of a setting; the first if it has none now.
    func index(of setting: QueueSetting) -> Int {
        rows.firstIndex { $0.setting == setting } ?? 0
    }
}

extension LoadedScene {
    /// The form of a queue, while there is the queue.
    func form(of queue: String) -> SettingsForm? {
        self.queue(named: queue).map { SettingsForm($0.overview.queue) }
    }
}
