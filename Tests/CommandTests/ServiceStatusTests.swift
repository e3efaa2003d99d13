import SluiceModel
import SluiceRunner
import Testing

@testable import SluiceCommand
@testable import SluiceStore

@Suite("what a service manager is told")
struct ServiceStatusTests {
    @Test("a worker is ready when it is attached, and says once that it stops")
    func states() {
        var status = ServiceStatus()
        #expect(status.line == "STATUS=begins")
        #expect(status.record(.waiting(QueueError(.diskFull, "its disk is full"))) == [])
        #expect(status.line == "STATUS=its disk is full")
        #expect(status.record(.runner(.attached(7))) == ["READY=1"])
        #expect(status.line == "STATUS=worker 7 works: 0 running, 0 ended")
        #expect(status.record(.runner(.told(false))) == nil)
        #expect(status.record(.stopping) == ["STOPPING=1"])
        #expect(status.line == "STATUS=worker 7 stops: 0 running, 0 ended")
        #expect(status.record(.stopping) == [])
        #expect(status.record(.runner(.ended)) == [])
    }

    @Test("a trouble is told until work goes on, on one line whatever it says")
    func troubles() {
        var status = ServiceStatus()
        _ = status.record(.runner(.attached(1)))
        let trouble = QueueError(.serverGone, "no server\nREADY=1", fix: "wait")
        #expect(status.record(.runner(.troubled(trouble))) == [])
        #expect(!status.line.contains("\n") && status.line.contains("0 ended; no server"))
        let settled = Settled(id: 1, type: "t", queue: "q", attempt: nil, state: nil)
        #expect(status.record(.runner(.settled(settled))) == nil)
        #expect(status.line == "STATUS=worker 1 works: 0 running, 0 ended")
    }
}
