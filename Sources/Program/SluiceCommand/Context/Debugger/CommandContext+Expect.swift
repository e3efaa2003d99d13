import SluiceControl
import SluiceModel
import SluiceStore

/// `expect` (G7).
extension CommandContext {
    func expect(_ call: ExpectCall) throws -> Reply { try expect(call) { $0 } }

    /// The same; `telling` gives the words for why the tasks in the way do not run.
    func expect(_ call: ExpectCall, telling: ([Blocker]) -> [Blocker]) throws -> Reply {
        let name = call.name ?? call.request.expectation.text
        if call.request.withinMilliseconds != nil {
            try refuseWaitingOnTape(fix: "leave --within away")
        }
        // Check the JUnit file first, so that an error appears before any wait.
        if let path = call.junit { try JUnitFile(path).check() }
        do {
            let answer = try control().expectBlocking(call.request).telling(telling)
            let names = try read { try $0.names(of: answer.why.namedTasks) }
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

extension ExpectAnswer {
    /// The same with other words for why tasks do not run.
    fileprivate func telling(_ blockers: ([Blocker]) -> [Blocker]) -> ExpectAnswer {
        var answer = self
        for place in why.indices { answer.why[place].blockers = blockers(why[place].blockers) }
        return answer
    }
}
