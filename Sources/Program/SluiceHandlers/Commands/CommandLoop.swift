import SluiceModel
import SluiceRunner
import SluiceSystem

/// The thread for all commands of the process.
///
/// It starts with the first command. It sleeps without a timer until a child or a request wakes it.
final class CommandLoop: Sendable {
    static let shared = CommandLoop()

    /// A request for the run with this number.
    enum Request: Sendable {
        case start(UInt64, CommandStart)
        case signal(UInt64, Signal)
    }

    private struct Mailbox {
        var requests: [Request] = []
        var lastNumber: UInt64 = 0
        var wake: EventSignal?
        var thread: Thread?
    }

    /// The recursive JSON parser for reports runs on this thread.
    private static let stackBytes = 4 << 20
    private let mailbox = Protected(Mailbox())

    /// Requests a command. Returns its number for signals.
    func start(_ start: CommandStart) -> UInt64 {
        do throws(SystemError) {
            return try mailbox.withLock { mailbox throws(SystemError) -> UInt64 in
                try launch(&mailbox)
                mailbox.lastNumber += 1
                mailbox.requests.append(.start(mailbox.lastNumber, start))
                mailbox.wake?.signal()
                return mailbox.lastNumber
            }
        } catch {
            CommandStart.Failure(error).end(start.report)
            return 0
        }
    }

    /// Asks for a signal to a command's group; one that has ended is passed over.
    func signal(_ signal: Signal, to number: UInt64) {
        mailbox.withLock { mailbox in
            mailbox.requests.append(.signal(number, signal))
            mailbox.wake?.signal()
        }
    }

    private func launch(_ mailbox: inout Mailbox) throws(SystemError) {
        guard mailbox.thread == nil else { return }
        let wake = try EventSignal()
        mailbox.wake = wake
        mailbox.thread = try Thread(name: "commands", stackBytes: Self.stackBytes) { [self] in
            serve(wake)
        }
    }

    private func serve(_ wake: EventSignal) {
        let table = CommandTable(wake)
        while true {
            table.waitAndServe()
            let requests = mailbox.withLock { mailbox -> [Request] in
                defer { mailbox.requests = [] }
                return mailbox.requests
            }
            table.perform(requests)
        }
    }
}
