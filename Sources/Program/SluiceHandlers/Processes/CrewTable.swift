import SluiceModel
import SluiceRunner
import SluiceSystem

/// The copies of a crew and the tasks that wait for one, on the thread of the crew alone.
final class CrewTable {
    private let plan: CrewPlan
    private let wake: EventSignal
    private var copies: [CrewCopy] = []
    private var waiting: [Waiting] = []
    private var backoff = CopyBackoff()
    /// How copies ended that had no task, for the log of the next one.
    private var remarks: [String] = []
    private var isEnding = false
    private var hasSwept = false

    private struct Waiting {
        let job: CrewJob
        var isInformed = false
    }

    init(_ plan: CrewPlan, wake: EventSignal) {
        (self.plan, self.wake) = (plan, wake)
    }

    /// Whether the crew has nothing left to do.
    var isOver: Bool { isEnding && copies.isEmpty && waiting.isEmpty }

    /// Waits until there is something to do, and hears the copies.
    func waitAndServe() {
        var owners: [Int32: (copy: CrewCopy, role: CrewCopy.Role)] = [:]
        var interests = [PollInterest(wake.descriptor.number)]
        for copy in copies {
            for watch in copy.watches {
                owners[watch.interest.descriptor] = (copy, watch.role)
                interests.append(watch.interest)
            }
        }
        do throws(SystemError) {
            let ready = try Poll.wait(fds: interests, timeoutMilliseconds: timeoutMilliseconds)
            let instant = SystemClock.monotonicNanoseconds()
            let heard = ready.compactMap { owners[$0.descriptor] }
            for (copy, role) in heard.sorted(by: { $0.role.rank < $1.role.rank }) {
                copy.handle(role, at: instant)
            }
        } catch {
            // Without polling no copy can be served, so kill them; their tasks end with them.
            let instant = SystemClock.monotonicNanoseconds()
            for copy in copies { copy.signal(.kill, at: instant) }
        }
        wake.drain()
    }

    /// Handles requests and assigns tasks to free copies.
    func perform(_ requests: [Crew.Request]) {
        let instant = SystemClock.monotonicNanoseconds()
        for request in requests {
            switch request {
            case .start(let job): waiting.append(Waiting(job: job))
            case .signal(let number, let signal): tell(number, signal, at: instant)
            case .end: isEnding = true
            }
        }
        let silence = silenceNanoseconds
        for copy in copies { copy.keepTime(at: instant, silence: silence) }
        reap(at: instant)
        assign(at: instant)
        if isEnding, waiting.isEmpty {
            for copy in copies where copy.isFree { copy.leave(at: instant) }
        }
    }

    private func tell(_ number: UInt64, _ signal: Signal, at instant: UInt64) {
        if let place = waiting.firstIndex(where: { $0.job.number == number }) {
            waiting.remove(at: place).job.report.finish(
                .retry(afterMilliseconds: nil, error: "told to stop before a copy was free"))
        } else {
            copies.first { $0.job?.number == number }?.signal(signal, at: instant)
        }
    }

    private func reap(at instant: UInt64) {
        for copy in copies where copy.isGone {
            guard !copy.isLeaving else { continue }
            backoff.ended(afterTask: copy.hasEndedOne, at: instant)
            if let remark = copy.remark, remarks.count < 5 {
                remarks.append("a copy of \(plan.name) that had no task: \(remark)")
            }
        }
        copies.removeAll(where: \.isGone)
    }

    private func assign(at instant: UInt64) {
        while let next = waiting.first {
            if let copy = copies.first(where: \.isFree) {
                waiting.removeFirst()
                give(next, to: copy, at: instant)
                continue
            }
            guard copies.count < plan.copies ?? .max, backoff.waits(at: instant) == nil else {
                break
            }
            if !hasSwept {
                CopyLock.sweep(beside: next.job.execution)
                hasSwept = true
            }
            waiting.removeFirst()
            do throws(CommandStart.Failure) {
                let copy = try plan.start(for: next.job.execution)
                copies.append(copy)
                give(next, to: copy, at: instant)
            } catch {
                backoff.ended(afterTask: false, at: instant)
                error.end(next.job.report)
            }
        }
        for place in waiting.indices where !waiting[place].isInformed {
            waiting[place].isInformed = true
            waiting[place].job.report.progress(nil, text: "waits for a copy of \(plan.name)")
        }
    }

    private func give(_ next: Waiting, to copy: CrewCopy, at instant: UInt64) {
        let job = next.job
        if next.isInformed { job.report.progress(nil, text: nil) }
        for remark in remarks { job.report.log(remark) }
        remarks = []
        copy.begin(job, at: instant)
    }

    private var silenceNanoseconds: UInt64? {
        plan.silenceMilliseconds.map { UInt64($0) * 1_000_000 }
    }

    private var timeoutMilliseconds: Int? {
        let now = SystemClock.monotonicNanoseconds()
        let silence = silenceNanoseconds
        var moments = copies.compactMap { $0.deadline(silence: silence) }
        if !waiting.isEmpty, let start = backoff.waits(at: now) { moments.append(start) }
        guard let deadline = moments.min() else { return nil }
        return deadline <= now ? 0 : Int((deadline - now + 999_999) / 1_000_000)
    }
}

extension CrewCopy.Role {
    /// Errors before answers, and both before the end.
    fileprivate var rank: Int {
        switch self {
        case .errors: 0
        case .output: 1
        case .input: 2
        case .exit: 3
        case .survivor: 4
        }
    }
}
