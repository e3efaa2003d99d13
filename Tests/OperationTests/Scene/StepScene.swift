import SluiceModel
import SluiceStore
import Testing

@testable import SluiceControl

/// A paused queue with a runner, whose steps have scripted outcomes.
struct StepScene {
    let bench: Bench
    let runner: ProcessID

    init(
        _ engine: Engine,
        _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in }
    ) throws {
        bench = try Bench(engine)
        try bench.makeQueue("q", change)
        runner = try bench.attach()
        try bench.perform(.pause(PauseRequest(.queue("q"))))
    }

    func begin() throws -> Claimed {
        let runner = runner
        try bench.act { mutation in
            _ = try PermitContext(mutation, issuer: runner, person: "ann")
                .issue(.queue("q", count: 1))
        }
        return try #require(try bench.claim(runner).first)
    }

    @discardableResult
    func step(_ ending: Ending = .handler(.done), _ followUps: [FollowUp] = []) throws -> TaskID {
        let claimed = try begin()
        var completion = claimed.completion(ending)
        completion.followUps = followUps
        if case .handler(.success, _) = ending { completion.result = [9] }
        let sent = completion
        try bench.act { _ = try $0.settle([sent]) }
        return claimed.task.id
    }

    @discardableResult
    func back() throws -> Answer { try bench.perform(.stepBack(queue: "q")) }
}
