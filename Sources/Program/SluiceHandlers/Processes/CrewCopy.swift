import SluiceModel
import SluiceRunner
import SluiceSystem

/// One process of a program that stays: it has one task at a time, and ends with its whole group.
/// On the thread of its crew alone.
final class CrewCopy {
    /// The purpose of a descriptor, in order of service: output before the exit, so that earlier
    /// output is read first.
    enum Role: Hashable {
        case errors, output, input, exit
        /// A process in the group that outlives the copy.
        case survivor(Int32)
    }

    private static let chunkBytes = 65536
    private static let timeoutNanoseconds = UInt64(stopPatienceMilliseconds) * 1_000_000

    private(set) var job: CrewJob?
    /// Whether it has ended a task since its start.
    private(set) var hasEndedOne = false
    /// Whether it takes no other task.
    private(set) var isLeaving = false
    /// Whether the copy and its group have ended.
    private(set) var isGone = false
    /// The error of an end without a task, for the next task.
    private(set) var remark: String?

    private let child: ChildProcess
    private let lock: CopyLock?
    private var open: [Role: FileDescriptor] = [:]
    private var unsent: ArraySlice<UInt8> = []
    private var answers = AnswerLines()
    private var errorLines = LineSplitter(limitBytes: ReportLines.textLimitBytes)
    private var errors = ErrorTail()
    private var heardAt: UInt64 = 0
    /// When its time to end is over.
    private var killAt: UInt64?
    /// The error of its task if it ends without an answer.
    private var reason: String?
    /// Whether it wrote a line that is too long, which may have been the answer.
    private var isOverlong = false
    /// Whether its input is closed, possibly because it has ended.
    private var isDeaf = false
    private var retryAfter: Int64?
    private var restarts: Bool?
    /// The kept output of its task.
    private var printed: AttemptOutput?

    init(child: ChildProcess, lock: CopyLock?) {
        (self.child, self.lock) = (child, lock)
        open[.exit] = child.pidfd
        open[.output] = child.output
        open[.errors] = child.errors
        open[.input] = child.input
    }

    /// Whether it can take a task.
    var isFree: Bool { job == nil && !isLeaving && !isGone && open[.exit] != nil }

    /// The current descriptors to poll.
    var watches: [(role: Role, interest: PollInterest)] {
        open.compactMap { role, descriptor in
            guard role == .input else { return (role, PollInterest(descriptor.number)) }
            guard !unsent.isEmpty else { return nil }
            return (role, PollInterest(descriptor.number, readable: false, writable: true))
        }
    }

    /// When something is due without a descriptor's word.
    func deadline(silence: UInt64?) -> UInt64? {
        if isGone { return nil }
        if let killAt { return killAt }
        return job == nil ? nil : silence.map { heardAt + $0 }
    }

    /// Gives it a task.
    func begin(_ job: CrewJob, at instant: UInt64) {
        lock?.follow(job.execution)
        self.job = job
        (heardAt, errors, reason) = (instant, ErrorTail(), nil)
        (retryAfter, restarts, isOverlong) = (nil, nil, false)
        printed = AttemptOutput(of: job.execution)
        job.report.childAtWork(pid: Int64(child.processID), startTime: child.startTime)
        unsent = TaskLine.bytes(of: job.execution)[...]
        send()
    }

    /// Does what a descriptor is ready for.
    func handle(_ role: Role, at instant: UInt64) {
        switch role {
        case .input: send()
        case .output, .errors: receive(role, at: instant)
        case .exit: end()
        case .survivor:
            close(role)
            if !open.keys.contains(where: \.isOfSurvivor) { endGroup() }
        }
    }

    /// Performs due actions: a kill after the timeout, or a stop after too long a silence.
    func keepTime(at instant: UInt64, silence: UInt64?) {
        if let killAt, killAt <= instant {
            self.killAt = nil
            signal(.kill, at: instant)
        } else if !isLeaving, job != nil, let silence, heardAt + silence <= instant {
            reason = "it said nothing for \(DurationText.compact(Int64(silence / 1_000_000)))"
            signal(.terminate, at: instant)
        }
    }

    /// Sends a signal to its group. The copy accepts no further task and is killed after a timeout.
    func signal(_ signal: Signal, at instant: UInt64) {
        guard !isGone else { return }
        isLeaving = true
        if signal != .kill { killAt = killAt ?? instant + Self.timeoutNanoseconds }
        do throws(SystemError) {
            try child.signalGroup(signal)
        } catch {
            job?.report.log(error.sentence)
        }
    }

    /// Closes its input, the sign to exit.
    func leave(at instant: UInt64) {
        isLeaving = true
        killAt = killAt ?? instant + Self.timeoutNanoseconds
        close(.input)
    }
}

extension CrewCopy {
    private func send() {
        guard !unsent.isEmpty else { return }
        do throws(SystemError) {
            guard let input = open[.input] else { return }
            unsent = unsent.dropFirst(try input.writeSome(unsent))
        } catch {
            // The copy has ended, and its exit gives the reason; or it stopped reading, so end it.
            (unsent, isDeaf) = ([], true)
            signal(.terminate, at: SystemClock.monotonicNanoseconds())
        }
    }

    /// Reads once from a descriptor, or until its end.
    private func receive(_ role: Role, at instant: UInt64, toEnd: Bool = false) {
        repeat {
            guard let descriptor = open[role] else { return }
            do throws(SystemError) {
                switch try descriptor.read(atMost: Self.chunkBytes) {
                case .bytes(let bytes):
                    heardAt = instant
                    take(bytes, of: role, at: instant)
                case .nothingYet: return
                case .end: close(role)
                }
            } catch {
                job?.report.log(error.sentence)
                close(role)
            }
        } while toEnd
    }

    private func take(_ bytes: [UInt8], of role: Role, at instant: UInt64) {
        if let line = printed?.append(bytes) { job?.report.log(line) }
        if role == .errors {
            errors.append(bytes)
            errorLines.take(bytes).forEach(log)
        } else {
            for entry in answers.take(bytes) { take(entry, at: instant) }
        }
    }

    private func log(_ line: LineSplitter.Line) {
        guard line.bytes.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        let text = String(decoding: line.bytes, as: UTF8.self)
        job?.report.log(line.isCut ? text + "…" : text)
    }

    private func take(_ entry: AnswerLines.Entry, at instant: UInt64) {
        // Ignore output without a task.
        guard let job else { return }
        switch entry {
        case .heartbeat: break
        case .report(.progress(let fraction, let text)):
            job.report.progress(fraction, text: text)
        case .report(.log(let line)): job.report.log(line)
        case .report(.stage(let name)): job.report.stage(name)
        case .report(.retryAfter(let milliseconds)): retryAfter = milliseconds
        case .report(.restart(let isWanted)): restarts = isWanted
        case .followUp(let task): job.report.followUp(task)
        case .outcome where isOverlong: break
        case .tooLong:
            isOverlong = true
            reason = "it wrote a line of more than \(AnswerLines.lineLimitBytes) bytes"
            signal(.terminate, at: instant)
        case .outcome(nil, let outcome):
            let error = outcome.error.map { ": \($0)" } ?? ""
            finish(
                .retry(
                    afterMilliseconds: nil,
                    error: "its answer does not name its task by \"id\"\(error)"), at: instant)
        case .outcome(let id?, let outcome):
            guard id == job.execution.task.id else {
                return job.report.log("an answer for #\(id) is not about this task")
            }
            finish(outcome, at: instant)
        }
    }

    /// Its task has ended.
    private func finish(_ outcome: HandlerOutcome, at instant: UInt64) {
        receive(.errors, at: instant, toEnd: true)
        if let rest = errorLines.end() { log(rest) }
        guard let job else { return }
        self.job = nil
        printed?.remove()
        printed = nil
        // After a partly read line the copy cannot read the next task.
        if !unsent.isEmpty { isLeaving = true }
        (unsent, hasEndedOne) = ([], true)
        if isLeaving, open[.exit] != nil { leave(at: instant) }
        lock?.rest()
        if let restarts { job.report.restart(restarts) }
        job.report.finish(obeyed(outcome))
    }

    /// The outcome as its report wants it (A3, A5).
    private func obeyed(_ outcome: HandlerOutcome) -> HandlerOutcome {
        guard case .retry(let after, let error) = outcome else { return outcome }
        if restarts == false { return .giveUp(error: error) }
        return .retry(afterMilliseconds: after ?? retryAfter, error: error)
    }

    /// The process has ended: reads its remaining output and ends its group.
    private func end() {
        let instant = SystemClock.monotonicNanoseconds()
        open[.exit] = nil
        receive(.errors, at: instant, toEnd: true)
        receive(.output, at: instant, toEnd: true)
        for entry in answers.end() { take(entry, at: instant) }
        close(.input)
        reason = reason ?? death
        if job == nil { remark = error }
        endGroup()
    }

    private var death: String {
        do throws(SystemError) {
            switch try child.reap() {
            case .code(let code)?: return "its process ended with exit code \(code)"
            case .signal(.terminate)? where isDeaf: return "it does not read its standard input"
            case .signal(let signal)?:
                return "its process was killed by \(CommandExit.name(of: signal))"
            case nil: return "its process has not ended"
            }
        } catch {
            return error.sentence
        }
    }

    private var error: String {
        [reason, errors.text].compactMap { $0 }.joined(separator: "\n")
    }

    /// Kill remaining processes, so that they do not run during the next attempt.
    private func endGroup() {
        do throws(SystemError) {
            _ = try child.reap()
            let survivors = try child.survivors()
            for survivor in survivors {
                open[.survivor(survivor.processID)] = survivor.pidfd
                try survivor.signal(.kill)
            }
            guard survivors.isEmpty else { return }
        } catch {
            job?.report.log(error.sentence)
        }
        isGone = true
        close(.output)
        close(.errors)
        child.pidfd.close()
        if job != nil {
            let hadEnded = hasEndedOne
            finish(
                .retry(afterMilliseconds: nil, error: error),
                at: SystemClock.monotonicNanoseconds())
            hasEndedOne = hadEnded
        }
        lock?.remove()
    }

    private func close(_ role: Role) {
        open.removeValue(forKey: role)?.close()
    }
}

extension CrewCopy.Role {
    fileprivate var isOfSurvivor: Bool {
        if case .survivor = self { true } else { false }
    }
}
