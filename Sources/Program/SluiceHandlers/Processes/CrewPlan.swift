import SluiceModel
import SluiceRunner
import SluiceSystem

/// The configuration of a crew's copies.
struct CrewPlan: Hashable, Sendable {
    var program: String
    var arguments: [String]
    var directory: String?
    var environment: [String]
    /// The maximum number of copies; `nil` for one per concurrent task.
    var copies: Int?
    /// How long one in a task may say nothing; nil for any time.
    var silenceMilliseconds: Int64?

    /// The program's name in messages.
    var name: String { Files.lastName(of: program) }

    /// Starts a copy, whose first task is this one.
    func start(for execution: Execution) throws(CommandStart.Failure) -> CrewCopy {
        let lock = try CopyLock(for: execution)
        let inherited = lock.map {
            [Spawn.Inherited($0.descriptor.number, as: CommandStart.ChildDescriptor.lock)]
        }
        let spawn = Spawn(
            program, arguments,
            environment: CommandEnvironment.make(base: environment, ofCopyFor: execution),
            directory: directory, input: .pipe, inherited: inherited ?? [])
        do throws(SystemError) {
            let child = try ChildProcess.spawn(spawn)
            lock?.leaveToCopy()
            return CrewCopy(child: child, lock: lock)
        } catch {
            lock?.remove()
            throw CommandStart.Failure(error)
        }
    }
}

/// A task that a copy is to execute.
struct CrewJob: Sendable {
    /// The number for stop signals.
    let number: UInt64
    let execution: Execution
    let report: any ExecutionReport
}
