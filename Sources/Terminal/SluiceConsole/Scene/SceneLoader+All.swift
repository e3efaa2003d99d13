import SluiceControl
import SluiceModel
import SluiceStore

/// What the views show of all queues together.
extension SceneLoader {
    func loadAll(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        switch request.view {
        case .inventory:
            let reader = try AllReader(reading, filter: request.rows.filter, hands: hands)
            var page = try reader.page(request.rows)
            if request.rows.filter == nil { page.total = scene.taskCount }
            page.about = try reading.about(page.rows.map(\.task))
            scene.page = page
        case .activity: scene.activity = try activity(of: nil, isClose: request.isClose)
        case .failures: scene.failures = try reading.failures(of: nil)
        case .groups, .timers, .runners, .queues: break
        }
    }
}
