import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

extension CommandContext {
    /// The arrivals, waiting tasks and ends of each queue: view 9, printed once.
    func flow(_ call: FlowCall) throws -> Reply {
        let scene = try read { reading in
            let request = FlowPicture.request(queues: try reading.store.countQueues())
            return try SceneLoader(reading).load(request)
        }
        guard !common.isJSON else {
            return Reply(FlowJSON(scene: scene, isHour: call.isHour).value, [])
        }
        guard scene.queueCount > 0 else { return Reply(.null, ["no queues"]) }
        var picture = FlowPicture()
        picture.span = call.isHour ? .hour : .twoMinutes
        picture.width = host.columns() ?? 100
        picture.glyphs = call.isASCII || !host.speaksUTF8 ? .ascii : .unicode
        return Reply(.null, picture.lines(scene))
    }
}
