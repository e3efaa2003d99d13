import Platform
import QueueModel
import QueueRunner

/// A child from its start to its end, on the thread of the loop alone.
final class CommandRun {
    /// What a descriptor of a child is for.
    enum Role: Hashable {
        case input, output, errors, reports, exit
    }

    /// A descriptor that is waited for.
    struct Watch {
        let role: Role
        let descriptor: FileDescriptor
        let number: Int32
    }

    /// How long those who inherited the pipes of a child are listened to after its exit.
    private static let heirNanoseconds: UInt64 = 200_000_000
    private static let chunkBytes = 65536

    /// What is waited for now.
    private(set) var watches: [Watch] = []
    /// When the run is over although somebody still holds its pipes; nil until the child's exit.
    private(set) var deadlineNanoseconds: UInt64?

    private let child: ChildProcess
    private let report: any ExecutionReport
    private var unsent: ArraySlice<UInt8>
    private var output = BoundedOutput()
    private var errors = ErrorTail()
    private var lines = ReportLines()
    private var isStopped = false

    init(
        child: ChildProcess, payload: [UInt8], reports: FileDescriptor,
        report: any ExecutionReport
    ) {
        self.child = child
        self.report = report
        unsent = payload[...]
        watch(.exit, child.pidfd)
        watch(.output, child.output)
        watch(.errors, child.errors)
        watch(.reports, reports)
        watch(.input, child.input)
        report.childStarted(pid: Int64(child.processID), startTime: child.startTime)
        send()
    }

    /// Whether the child has exited and nobody holds its pipes any more.
    var isDrained: Bool { watches.isEmpty }

    /// Does what a descriptor is ready for.
    func handle(_ role: Role) {
        switch role {
        case .input: send()
        case .output, .errors, .reports: receive(role)
        case .exit:
            unwatch(.exit)
            unwatch(.input)
            deadlineNanoseconds = SystemClock.monotonicNanoseconds() + Self.heirNanoseconds
        }
    }

    /// Sends a signal to the child's whole group.
    func signal(_ signal: Signal) {
        isStopped = true
        do throws(SystemError) {
            try child.signalGroup(signal)
        } catch {
            report.log(error.sentence)
        }
    }

    /// Reaps the child and reports its end. What a stopped one left of its group is killed first:
    /// it must not go on beside the next execution.
    func finish() {
        for watch in watches { receive(watch.role) }
        tell(lines.end())
        if let remark = output.remark { report.log(remark) }
        if isStopped { signal(.kill) }
        let outcome = outcome()
        closeAll()
        report.finish(outcome)
    }

    /// Ends a run that can no longer be served.
    func abort(_ sentence: String) {
        signal(.kill)
        closeAll()
        report.finish(.retry(afterMilliseconds: nil, error: sentence))
    }

    private func outcome() -> HandlerOutcome {
        do throws(SystemError) {
            if let exit = try child.reap() {
                return CommandExit.outcome(of: exit, result: output.bytes, error: errors.text)
            }
            return .retry(afterMilliseconds: nil, error: "the command has not ended")
        } catch {
            return .retry(afterMilliseconds: nil, error: error.sentence)
        }
    }
}

extension CommandRun {
    private func watch(_ role: Role, _ descriptor: FileDescriptor?) {
        guard let descriptor else { return }
        watches.append(Watch(role: role, descriptor: descriptor, number: descriptor.number))
    }

    /// Waits for it no more. A pipe is closed; the pidfd stays until the child is reaped.
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

    private func send() {
        guard let watch = watches.first(where: { $0.role == .input }) else { return }
        do throws(SystemError) {
            while !unsent.isEmpty {
                let sent = try watch.descriptor.writeSome(unsent)
                if sent == 0 { return }
                unsent = unsent.dropFirst(sent)
            }
        } catch {
            // A command need not read its payload.
            if !error.isBrokenPipe { report.log(error.sentence) }
        }
        unsent = []
        unwatch(.input)
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
        case .output: output.append(bytes)
        case .errors: errors.append(bytes)
        case .reports: tell(lines.take(bytes))
        case .input, .exit: break
        }
    }

    private func tell(_ entries: [ReportLines.Entry]) {
        for entry in entries {
            switch entry {
            case .progress(let fraction, let text): report.progress(fraction, text: text)
            case .log(let line): report.log(line)
            }
        }
    }
}
