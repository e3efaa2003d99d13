import SluiceModel
import SluiceRunner
import SluiceSystem

/// The handle to the copies of a persistent program. Their thread starts with the first task. When
/// the handle is released, the copies' inputs close, and the copies end.
final class Crew: Sendable {
    enum Request: Sendable {
        case start(CrewJob)
        case signal(UInt64, Signal)
        case end
    }

    private struct State {
        var requests: [Request] = []
        var lastNumber: UInt64 = 0
        var wake: EventSignal?
        var thread: Thread?
    }

    /// The recursive JSON parser for answers runs on this thread.
    private static let stackBytes = 4 << 20

    let plan: CrewPlan
    private let state: Protected<State>

    init(_ plan: CrewPlan) {
        self.plan = plan
        state = Protected(State())
    }

    deinit { Self.post(.end, to: state) }

    /// Asks for an execution; returns the number under which it can be told to stop.
    func start(_ execution: Execution, report: any ExecutionReport) -> UInt64 {
        do throws(SystemError) {
            return try state.withLock { state throws(SystemError) -> UInt64 in
                if state.thread == nil { try launch(&state) }
                state.lastNumber += 1
                let job = CrewJob(number: state.lastNumber, execution: execution, report: report)
                state.requests.append(.start(job))
                state.wake?.signal()
                return state.lastNumber
            }
        } catch {
            CommandStart.Failure(error).end(report)
            return 0
        }
    }

    /// Sends a stop signal to an attempt; ignores one that has ended.
    func signal(_ signal: Signal, to number: UInt64) {
        Self.post(.signal(number, signal), to: state)
    }

    private static func post(_ request: Request, to state: Protected<State>) {
        state.withLock { state in
            guard let wake = state.wake else { return }
            state.requests.append(request)
            wake.signal()
        }
    }

    private func launch(_ state: inout State) throws(SystemError) {
        let wake = try EventSignal()
        let (plan, shared) = (plan, self.state)
        state.wake = wake
        state.thread = try Thread(name: "crew", stackBytes: Self.stackBytes) {
            Signal.blockBrokenPipe()
            let table = CrewTable(plan, wake: wake)
            while !table.isOver {
                table.waitAndServe()
                let requests = shared.withLock { state -> [Request] in
                    defer { state.requests = [] }
                    return state.requests
                }
                table.perform(requests)
            }
        }
    }
}
