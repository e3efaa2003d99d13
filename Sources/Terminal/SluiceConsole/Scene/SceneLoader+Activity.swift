import SluiceControl
import SluiceModel
import SluiceStore

/// View 4: the newest lines of the log, filtered if requested.
extension SceneLoader {
    /// How many lines it shows.
    static let activityLimit = 300
    /// The number of newest lines to filter. With undo data the limit is lower, because verbs on
    /// several tasks carry large undo data.
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
