import SluiceControl
import SluiceModel
import SluiceStore

/// `expect` (G7).
extension CommandContext {
    func expect(_ call: ExpectCall) throws -> Reply { try expect(call) { $0.blockers } }

    /// The same; `blockers` gives why a task in the way does not run.
    func expect(
        _ call: ExpectCall, blockers: (TaskLine) throws -> [Blocker]
    ) throws -> Reply {
        let name = call.name ?? call.request.expectation.text
        if call.request.withinMilliseconds != nil {
            try refuseWaitingOnTape(fix: "leave --within away")
        }
        // Check the JUnit file first, so that an error appears before any wait.
        if let path = call.junit { try JUnitFile(path).check() }
        do {
            var answer = try control().expectBlocking(call.request)
            for place in answer.why.indices {
                answer.why[place].blockers = try blockers(answer.why[place])
            }
            let named = answer.why.namedTasks
            let names = try read { try $0.names(of: named) }
            let reply = ExpectText.reply(answer, names: names)
            if let path = call.junit {
                var one = JUnitCase(name: name, milliseconds: answer.milliseconds)
                if !answer.held {
                    one.failure = "expected \(answer.expected), but \(answer.actual)"
                    one.lines = reply.lines
                }
                try JUnitFile(path).add(one)
            }
            return reply
        } catch let error as QueueError {
            guard let path = call.junit, error.code != .denied else { throw error }
            try JUnitFile(path).add(JUnitCase(name: name, error: error.description))
            throw error
        }
    }
}
