import SluiceModel
import SluiceRunner
import SluiceSystem

/// The running children and their descriptors. Only the loop's thread uses it.
final class CommandTable {
    private let wake: EventSignal
    private let wakeNumber: Int32
    private var runs: [UInt64: CommandRun] = [:]
    /// Which run and which part of it a descriptor belongs to.
    private var owners: [Int32: (number: UInt64, role: CommandRun.Role)] = [:]
    private var interests: [PollInterest]

    init(_ wake: EventSignal) {
        self.wake = wake
        wakeNumber = wake.descriptor.number
        interests = [PollInterest(wakeNumber)]
    }

    /// Waits until there is something to do, and does what the children want.
    func waitAndServe() {
        do throws(SystemError) {
            let ready = try Poll.wait(fds: interests, timeoutMilliseconds: timeoutMilliseconds)
            for one in ready where one.descriptor != wakeNumber { serve(one.descriptor) }
        } catch {
            // Without polling no child can be served, and to continue would be a busy loop.
            for run in runs.values { run.abort(error.sentence) }
            runs = [:]
        }
        wake.drain()
        finishEnded()
    }

    /// Starts and signals.
    func perform(_ requests: [CommandLoop.Request]) {
        requests.forEach(perform)
        listWatches()
    }

    private func perform(_ request: CommandLoop.Request) {
        switch request {
        case .start(let number, let start):
            do throws(CommandStart.Failure) {
                runs[number] = try start.run()
            } catch {
                error.end(start.report)
            }
        case .signal(let number, let signal):
            runs[number]?.signal(signal)
        }
    }

    private func serve(_ descriptor: Int32) {
        guard let owner = owners[descriptor], let run = runs[owner.number] else { return }
        run.handle(owner.role)
    }

    private func finishEnded() {
        let now = SystemClock.monotonicNanoseconds()
        for (number, run) in runs {
            guard run.isOver(at: now) else { continue }
            run.finish()
            runs[number] = nil
        }
    }

    private func listWatches() {
        owners = [:]
        interests = [PollInterest(wakeNumber)]
        for (number, run) in runs {
            for watch in run.watches {
                owners[watch.number] = (number, watch.role)
                interests.append(PollInterest(watch.number))
            }
        }
    }

    private var timeoutMilliseconds: Int? {
        guard let deadline = runs.values.compactMap(\.deadlineNanoseconds).min() else { return nil }
        let now = SystemClock.monotonicNanoseconds()
        return deadline <= now ? 0 : Int((deadline - now + 999_999) / 1_000_000)
    }
}
