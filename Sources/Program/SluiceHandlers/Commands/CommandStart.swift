import SluiceModel
import SluiceRunner
import SluiceSystem

struct CommandStart: Sendable {
    /// The reason a command could not be started.
    struct Failure: Error, Equatable {
        let sentence: String
        /// Whether this process lacks something, so that the task is not at fault.
        let isShortage: Bool

        init(sentence: String, isShortage: Bool = false) {
            (self.sentence, self.isShortage) = (sentence, isShortage)
        }

        init(_ error: SystemError) {
            (sentence, isShortage) = (error.sentence, error.isShortage)
        }

        /// Ends the attempt that could not be started.
        func end(_ report: any ExecutionReport) {
            if isShortage { return report.couldNotStart(sentence) }
            report.finish(.retry(afterMilliseconds: nil, error: sentence))
        }
    }

    /// The descriptor numbers that a child inherits in addition to the standard ones.
    enum ChildDescriptor {
        static let report: Int32 = 3
        /// Out of reach of a shell script that opens files by number, which would free the lock.
        static let lock: Int32 = 40
    }

    let handler: CommandHandler
    let execution: Execution
    let report: any ExecutionReport

    /// Starts the program with the attempt's lock held, which from then on is the child's alone.
    func run() throws(Failure) -> CommandRun {
        let pipe = try ReportPipe()
        let payload = try payloadFile()
        let lock = try acquireLock()
        var inherited = [Spawn.Inherited(pipe.write.number, as: ChildDescriptor.report)]
        if let lock {
            inherited.append(.init(lock.descriptor.number, as: ChildDescriptor.lock))
        }
        let environment = CommandEnvironment.make(
            base: handler.environment, execution: execution,
            reportDescriptor: ChildDescriptor.report)
        let spawn = Spawn(
            handler.program, handler.arguments, environment: environment,
            directory: handler.directory, input: .descriptor(payload.number),
            inherited: inherited)
        let child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess.spawn(spawn)
        } catch {
            throw Failure(error)
        }
        lock?.leaveToChildren()
        pipe.write.close()
        payload.close()
        return CommandRun(
            child: child, reports: pipe.read, report: report,
            printed: AttemptOutput(of: execution))
    }

    /// Writes the whole payload before the child starts, so that a kill of this process cannot
    /// truncate it.
    private func payloadFile() throws(Failure) -> FileDescriptor {
        do throws(SystemError) {
            return try Files.makeSealed(execution.payload)
        } catch {
            throw Failure(error)
        }
    }

    private func acquireLock() throws(Failure) -> FileLock? {
        guard let path = execution.childLockPath else { return nil }
        do throws(SystemError) {
            if let lock = try FileLock.tryLock(path) { return lock }
        } catch {
            throw Failure(error)
        }
        throw Failure(
            sentence: "another process holds the lock of this attempt: \(path)")
    }
}
