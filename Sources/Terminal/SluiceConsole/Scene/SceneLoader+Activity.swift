import SluiceControl
import SluiceModel
import SluiceStore

/// View 4: the newest lines of the log, or those of them that are wanted.
extension SceneLoader {
    /// How many lines it shows.
    static let activityLimit = 300
    /// How many of the newest are looked through for those that are wanted. What verbs on several
    /// tasks changed comes with what `undo` needs: that is much.
    private static func searchLimit(_ filter: LogFilter) -> Int { filter.withUndo ? 1000 : 5000 }

    func loadActivity(
        of queue: String?, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        guard let filter = request.log else {
            scene.activity = try activity(
                of: queue, isClose: request.isClose, limit: Self.activityLimit)
            return
        }
        let limit = Self.searchLimit(filter)
        let lines = try activity(
            of: queue, isClose: request.isClose, limit: limit, withUndo: filter.withUndo)
        if lines.count >= limit { scene.activityLooked = lines.count }
        scene.activity = lines.filter { filter.includes($0.entry) }.suffix(Self.activityLimit)
    }

    private func activity(
        of queue: String?, isClose: Bool, limit: Int, withUndo: Bool = false
    ) throws -> [LogLine] {
        if isClose {
            return try reading.log(
                limit: limit, of: queue, isClose: true, withUndo: withUndo
            ).lines
        }
        var query = JournalQuery(limit: limit, withUndo: withUndo)
        query.queue = queue
        return try reading.store.journal(query).map { LogLine(.journal($0)) }
    }
}
