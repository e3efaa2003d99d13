import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

extension CommandContext {
    /// The ends and durations of each queue: view 7, printed once.
    func charts(_ call: ChartCall) throws -> Reply {
        let scene = try read { reading in
            if let queue = call.queue { _ = try reading.store.requireQueue(queue) }
            let request = ChartPicture.request(queues: try reading.store.countQueues())
            return try SceneLoader(reading).load(request)
        }
        let span = call.isQuarter ? PulseSpan.quarter : .hour
        guard !common.isJSON else {
            return Reply(ChartJSON(scene: scene, span: span, queue: call.queue).value, [])
        }
        guard scene.queueCount > 0 else { return Reply(.null, ["no queues"]) }
        var picture = ChartPicture()
        picture.span = span
        picture.queue = call.queue
        picture.width = host.columns() ?? 100
        picture.glyphs = call.isASCII || !host.speaksUTF8 ? .ascii : .unicode
        return Reply(.null, picture.lines(scene))
    }
}
