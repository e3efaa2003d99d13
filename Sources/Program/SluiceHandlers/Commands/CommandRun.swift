import SluiceModel
import SluiceRunner
import SluiceSystem

/// A child from its start to the end of its group, on the thread of the loop alone.
final class CommandRun {
    /// The purpose of a child's descriptor.
    enum Role: Hashable {
        case output, errors, reports, exit
        /// A process in the group that outlives the child.
        case survivor(Int32)
    }

    /// A descriptor to poll.
    struct Watch {
        let role: Role
        let descriptor: FileDescriptor
        let number: Int32
    }

    /// How long to read from processes that inherited the child's pipes after the group's end.
    private static let heirNanoseconds: UInt64 = 200_000_000
    private static let chunkBytes = 65536

    /// The current descriptors to poll.
    private(set) var watches: [Watch] = []

    private let child: ChildProcess
    private let report: any ExecutionReport
    private let printed: AttemptOutput
    private var output = BoundedOutput()
    private var errors = ErrorTail()
    private var lines = ReportLines()
    /// How the child ended, as soon as it has.
    private var exit: Result<ChildProcess.Exit?, SystemError>?
    private var group = GroupEnd()
    /// The child's request for the next attempt.
    private var retryAfter: Int64?
    private var restarts: Bool?
    /// The end of the run even if another process holds its pipes; `nil` while the group is alive.
    private var listensUntil: UInt64?

    init(
        child: ChildProcess, reports: FileDescriptor, report: any ExecutionReport,
        printed: AttemptOutput
    ) {
        self.child = child
        self.report = report
        self.printed = printed
        watch(.exit, child.pidfd)
        watch(.output, child.output)
        watch(.errors, child.errors)
        watch(.reports, reports)
        report.childStarted(pid: Int64(child.processID), startTime: child.startTime)
    }

    /// When something is due without a descriptor's word; nil for never.
    var deadlineNanoseconds: UInt64? { exit == nil ? nil : listensUntil ?? group.dueAt }

    /// Does what a descriptor is ready for.
    func handle(_ role: Role) {
        switch role {
        case .output, .errors, .reports: receive(role)
        case .exit:
            unwatch(.exit)
            exit = Result { () throws(SystemError) in try child.reap() }
            endGroup()
        case .survivor:
            unwatch(role)
            if !watches.contains(where: \.isOfSurvivor) { endGroup() }
        }
    }

    /// Performs due actions. Returns whether the run is over: the child and its group have ended,
    /// and the pipes are closed or their time has passed.
    func isOver(at instant: UInt64) -> Bool {
        if let listensUntil { return watches.isEmpty || listensUntil <= instant }
        if exit != nil, let due = group.dueAt, due <= instant {
            group.told == nil ? endGroup() : signal(.kill)
        }
        return false
    }

    /// Sends a signal to the child's whole group.
    func signal(_ signal: Signal) {
        group.tell(signal, at: SystemClock.monotonicNanoseconds())
        do throws(SystemError) {
            guard exit != nil else {
                try child.signalGroup(signal)
                return
            }
            if signal == .kill, !group.survivors.isEmpty { report.log(group.lineOfKilled) }
            for survivor in group.survivors { try survivor.signal(signal) }
        } catch {
            report.log(error.sentence)
        }
    }

    /// Reports the end of the child.
    func finish() {
        for watch in watches { receive(watch.role) }
        tell(lines.end())
        if let remark = output.remark { report.log(remark) }
        closeAll()
        printed.remove()
        if let restarts { report.restart(restarts) }
        let outcome = outcome
        // A successful run keeps all output as its result.
        if !outcome.isSuccess { output.lastLines.forEach { report.log("output: \($0)") } }
        // For a retry without an error, log the standard error, which is not recorded otherwise.
        if outcome.isSilentRetry { errors.lines.forEach { report.log("standard error: \($0)") } }
        report.finish(obeyed(outcome))
    }

    /// Ends a run that can no longer be served.
    func abort(_ sentence: String) {
        signal(.kill)
        closeAll()
        printed.remove()
        report.finish(.retry(afterMilliseconds: nil, error: sentence))
    }

    private var outcome: HandlerOutcome {
        switch exit {
        case .success(let exit?):
            CommandExit.outcome(of: exit, result: output.bytes, error: errors.text)
        case .success(nil), nil:
            .retry(afterMilliseconds: nil, error: "the command has not ended")
        case .failure(let error): .retry(afterMilliseconds: nil, error: error.sentence)
        }
    }

    /// The outcome as the command's report wants it: an end that means again comes at its own time,
    /// or gives up if it is not to be started again (A3, A5).
    private func obeyed(_ outcome: HandlerOutcome) -> HandlerOutcome {
        guard case .retry(_, let error) = outcome else { return outcome }
        if restarts == false { return .giveUp(error: error) }
        return .retry(afterMilliseconds: retryAfter, error: error)
    }

    /// Ends the remaining processes of the group, so that they do not run during the next attempt.
    private func endGroup() {
        let instant = SystemClock.monotonicNanoseconds()
        for watch in watches where watch.isOfSurvivor { unwatch(watch.role) }
        do throws(SystemError) {
            let survivors = try child.survivors()
            guard !survivors.isEmpty else {
                listensUntil = instant + Self.heirNanoseconds
                return
            }
            for survivor in survivors { watch(.survivor(survivor.processID), survivor.pidfd) }
            guard let found = group.find(survivors, at: instant) else { return }
            if let line = found.line { report.log(line) }
            for survivor in survivors { try survivor.signal(found.signal) }
        } catch {
            report.log(error.sentence)
            if !watches.contains(where: \.isOfSurvivor) { listensUntil = instant }
        }
    }
}

extension HandlerOutcome {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    fileprivate var isSilentRetry: Bool {
        if case .retry(_, nil) = self { true } else { false }
    }
}

extension CommandRun.Watch {
    fileprivate var isOfSurvivor: Bool {
        if case .survivor = role { true } else { false }
    }
}

extension CommandRun {
    private func watch(_ role: Role, _ descriptor: FileDescriptor?) {
        guard let descriptor else { return }
        watches.append(Watch(role: role, descriptor: descriptor, number: descriptor.number))
    }

    /// Stops polling a descriptor and closes it. The child's pidfd stays open until its group has
    /// ended.
    private func unwatch(_ role: Role) {
        guard let index = watches.firstIndex(where: { $0.role == role }) else { return }
        let watch = watches.remove(at: index)
        if role != .exit { watch.descriptor.close() }
    }

    private func closeAll() {
        watches.forEach { $0.descriptor.close() }
        watches = []
        child.pidfd.close()
    }

    private func receive(_ role: Role) {
        guard let watch = watches.first(where: { $0.role == role }) else { return }
        do throws(SystemError) {
            switch try watch.descriptor.read(atMost: Self.chunkBytes) {
            case .bytes(let bytes): take(bytes, of: role)
            case .nothingYet: break
            case .end: unwatch(role)
            }
        } catch {
            report.log(error.sentence)
            unwatch(role)
        }
    }

    private func take(_ bytes: [UInt8], of role: Role) {
        switch role {
        case .output:
            output.append(bytes)
            keep(bytes)
        case .errors:
            errors.append(bytes)
            keep(bytes)
        case .reports: tell(lines.take(bytes))
        case .exit, .survivor: break
        }
    }

    /// Keeps output for readers of the running attempt.
    private func keep(_ bytes: [UInt8]) {
        if let line = printed.append(bytes) { report.log(line) }
    }

    private func tell(_ entries: [ReportLines.Entry]) {
        for entry in entries {
            switch entry {
            case .progress(let fraction, let text): report.progress(fraction, text: text)
            case .log(let line): report.log(line)
            case .stage(let name): report.stage(name)
            case .retryAfter(let milliseconds): retryAfter = milliseconds
            case .restart(let isWanted): restarts = isWanted
            }
        }
    }
}
