import SluiceControl
import SluiceModel

extension SceneLoader {
    /// Reads the timeline on top; without its queue, run or task the scene says why.
    func loadTimeline(_ scope: TaskTimeline.Scope, _ scene: inout LoadedScene) throws {
        do {
            scene.taskTimeline = try reading.taskTimeline(scope)
        } catch let error as QueueError where error.isAboutTheQuestion {
            scene.timelineTrouble = error.message
        }
    }
}

extension QueueError {
    /// Whether the requested task or queue is missing, so the store itself has no trouble.
    fileprivate var isAboutTheQuestion: Bool {
        [.unknownQueue, .unknownTask, .notLegal].contains(code)
    }
}
