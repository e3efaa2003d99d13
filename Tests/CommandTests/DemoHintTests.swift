import SluiceConsole
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("hints of the demonstration")
struct DemoHintTests {
    @Test("each hint has room for its first key at 80 columns")
    func width() {
        let tour = DemoTour.tour(breakpoint: 1, tape: "incident.tape", [])
        let hints = [
            DemoHints.opening(queue: "profiles", hasTape: true), DemoHints.afterStep,
            DemoHints.afterFolderStep, tour.atStop, tour.afterStop, tour.afterTape,
        ]
        for hint in hints {
            let keys = hint.steps.prefix(1).map { "\($0.lead)\($0.key) \($0.words)" }
            #expect("\(hint.lead): \(keys.joined())".count <= 78, "\(hint)")
        }
    }
}
