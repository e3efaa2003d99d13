import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTapes

/// The console's recording (G6). It runs `record` on its own thread, until a stop or the end of the
/// console.
final class ConsoleRecorder: Sendable {
    private struct Course {
        var thread: Thread
        var stop: EventSignal
    }
    private let control: Control
    private let course = Protected<Course?>(nil)
    /// The final output of the last recording; `nil` while one runs.
    private let said = Protected<[String]?>([])

    init(_ control: Control) { self.control = control }

    /// Starts a recording with the options in `line`; `tell` receives its news. Throws for invalid
    /// options, or if a recording runs.
    func begin(_ line: String, tell: @escaping @Sendable (RecordingNews) -> Void) throws {
        guard let command = Action.named(.record)?.command else {
            throw QueueError.unknownVerb("record")
        }
        let words = try CommandWords.split(line).map { Word($0) }
        let call = try CommandLineParser.record(Arguments(command, words: words[...]))
        let stop = try EventSignal()
        let isFree = said.withLock { said in
            defer { said = nil }
            return said != nil
        }
        guard isFree else { throw QueueError.notLegal("this console records already") }
        let (control, said) = (control, said)
        let thread = try Thread(name: "sluice-tape", stackBytes: 8 << 20) {
            let (news, left) = Self.record(call, line, control, stop, tell)
            said.withLock { $0 = left }
            tell(news)
        }
        course.withLock { $0 = Course(thread: thread, stop: stop) }
    }

    func end() { course.withLock { $0?.stop.signal() } }

    /// Ends the recording and waits for it. Returns its final output, or nothing if it ended
    /// earlier.
    func leave() -> [String] {
        guard said.withLock({ $0 }) == nil else { return [] }
        end()
        course.withLock { $0?.thread.join() }
        return said.withLock { $0 } ?? []
    }

    /// Records. Returns the final news for the console, and the output for use after the console's
    /// end.
    private static func record(
        _ call: RecordCall, _ line: String, _ control: Control, _ stop: EventSignal,
        _ tell: @Sendable (RecordingNews) -> Void
    ) -> (news: RecordingNews, left: [String]) {
        do {
            let began = control.now()
            let recorder = try TapeRecorder(
                control.store, call.request, person: control.person, now: control.now,
                chance: control.chance())
            tell(.begun(path: call.request.path, line: line))
            let report = try recorder.run(
                stop: stop, until: call.forMilliseconds.map { began + $0 })
            let lines = report.lines(call.request, inConsole: true)
            return (.ended(lines: lines, isWhole: report.isWhole), report.lines(call.request))
        } catch {
            let error = QueueError(describing: error)
            return (.failed(error), [error.description])
        }
    }
}
