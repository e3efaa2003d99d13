import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTapes
import SluiceTransfer

/// `replay` (G6).
extension CommandContext {
    func replay(_ call: ReplayCall) throws -> Reply {
        let file = try TapeFile(call.path)
        try file.check(call.event)
        if let target = call.target { return try put(file, at: call.event ?? 0, into: target) }
        var changes: [String: TapeReplay.Change] = [:]
        for (name, settings) in Dictionary(grouping: call.settings, by: \.queue) {
            changes[name] = { queue in
                for setting in settings { try queue.settings.apply(setting.change) }
            }
        }
        var replay = TapeReplay(file, upTo: call.event, changes: changes)
        let isTest = call.settings.isEmpty
        let report = try replay.run(stopsAtFirst: isTest)
        try ReplayText.check(report, file)
        return ReplayText.reply(report, file, isTest: isTest)
    }

    /// Exports a moment of a tape to a new store. Tasks keep their numbers, since recorded outcomes
    /// refer to them (G4).
    private func put(_ file: TapeFile, at event: Int, into target: String) throws -> Reply {
        let view = try TapePlayer.view(of: file, at: event)
        let source = StoreSource(view.store, format: .sqlite, now: view.at)
        let sink = try SQLiteSink(
            path: target, source: file.path, person: person, keepsNumbers: true, now: host.now)
        let following = try host.follow(common.isQuiet)
        defer { following.end() }
        let report = try TransferExport(from: source, to: sink).run(watching: following.watch)
        return ExportText.reply(report, ExportCall(target: target, format: .sqlite))
    }
}
