import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

extension CommandContext {
    /// When tasks waited and ran: the page of `W`, printed once.
    func timeline(_ call: TimelineCall) throws -> Reply {
        let (timeline, names) = try read { reading in
            let timeline = try reading.taskTimeline(try call.scope(reading))
            return (timeline, try reading.names(of: timeline.rows.map(\.task)))
        }
        guard !common.isJSON else { return Reply(TimelineJSON(timeline: timeline).value, []) }
        var picture = TimelinePicture()
        picture.width = call.width ?? host.columns() ?? 100
        picture.glyphs = call.isASCII || !host.speaksUTF8 ? .ascii : .unicode
        picture.names = names
        picture.zone = ZoneFiles.ofMachine(at: timeline.at)
        return Reply(.null, picture.lines(timeline))
    }
}
