import SluiceControl
import SluiceHandlers
import SluiceModel
import SluicePlatform
import SluiceRunner
import SluiceStore

/// The rules of a Customer.io folder: those of its SDK, unless a person says otherwise.
extension CommandContext {
    /// The only HTTP status that removes a task in the SDK.
    private static let finalStatuses: Set<Int> = [400]

    /// The handlers of a file; nil where none is named.
    func handlers(_ file: String?) throws -> HandlerTable? { try file.map { try readHandlers($0) } }

    /// The handlers of a file, read whole before anything changes. In a folder its `http` handlers
    /// have the SDK's rule.
    func readHandlers(_ file: String) throws -> HandlerTable {
        let isFolder = StorePlace(storeName).isFolder
        let defaults = HandlerDefaults(giveUpOn: isFolder ? Self.finalStatuses : nil)
        let handlers = try HandlersFile.read(
            file, environment: ProcessIdentity.environment(), defaults: defaults)
        if isFolder, !common.isQuiet, !common.isJSON {
            try tellSDKRules(Files.lastName(of: file), defaults)
        }
        return handlers
    }

    private func tellSDKRules(_ file: String, _ defaults: HandlerDefaults) throws {
        var lines = [
            "as in the SDK: only HTTP 400 removes a task; the app removes tasks older than 3 days "
                + "at its start, except starts of groups"
        ]
        for (type, statuses) in defaults.own where statuses != Self.finalStatuses {
            let words = statuses.sorted().map(String.init).joined(separator: ", ")
            let what = statuses.isEmpty ? "no status gives" : "HTTP \(words) gives"
            lines.append("\(file) differs: \(what) a task of \(type) up")
        }
        try host.write(SafeText.printed(lines.map { "sluice: \($0)" }), .errors)
    }

    /// Writes how each queue of a folder differs from its SDK.
    func tellSettingsBesideSDK() throws {
        guard try store().namesTasks else { return }
        for name in try read({ try $0.store.queues().map(\.name) }) {
            try tellSettingsBesideSDK(of: name)
        }
    }

    /// Writes how a folder's queue differs from the SDK's thresholds and its rule of three days.
    func tellSettingsBesideSDK(of name: String) throws {
        guard !common.isQuiet, !common.isJSON, try store().namesTasks,
            let preset = QueueSettings.preset(named: "customer-io"),
            let queue = try read({ try $0.store.queue(named: name) })
        else { return }
        var others: [QueueSetting] = [.start, .batchCount, .batchDelay, .startsExpire]
        if queue.settings.expiresAfterMilliseconds != nil { others.append(.expires) }
        let words = others.compactMap { setting -> String? in
            let (own, sdk) = (queue.settings.change(for: setting), preset.change(for: setting))
            guard own != sdk else { return nil }
            return "\(setting.name) \(own?.text ?? "none"), in the SDK \(sdk?.text ?? "none")"
        }
        guard !words.isEmpty else { return }
        let line = "sluice: the settings of \(queue.name) differ: \(words.joined(separator: "; "))"
        try host.write(SafeText.printed([line]), .errors)
    }
}
