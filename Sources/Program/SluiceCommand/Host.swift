import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTransfer

/// All that a command takes from the machine: environment, clock, chance, streams, files, stores.
struct Host: Sendable {
    var environment: @Sendable (String) -> String?
    /// Who runs the program, as `user@host`.
    var user: @Sendable () -> String
    /// Whether standard input and standard output are a terminal.
    var isTerminal: @Sendable () -> Bool
    /// Whether a person can answer a question: standard input and standard error are a terminal.
    var canAsk: @Sendable () -> Bool
    /// Whether another program uses the terminal of this output in the foreground.
    var isInBackground: @Sendable (Standard.Output) -> Bool = { _ in false }
    /// The width of standard output's terminal; `nil` if it is not a terminal.
    var columns: @Sendable () -> Int? = { nil }
    /// The store's clock.
    var now: @Sendable () -> Timestamp
    /// Draws in 0..<1.
    var chance: @Sendable () -> Double
    var write: @Sendable (String, Standard.Output) throws -> Void
    /// Reads a whole file, or standard input; throws when there are more bytes than the limit.
    var read: @Sendable (ByteSource, _ limitBytes: Int) throws -> [UInt8]
    /// Opens a file of lines, or standard input; nil reads all of it first.
    var lines: (@Sendable (ByteSource) throws -> TaskLineFile)?
    /// Reads one line of standard input, for the answer to a question.
    var readLine: @Sendable () throws -> String?
    var open: @Sendable (StorePlace, StoreAccess) throws -> any QueueStore
    /// How a bulk is followed that is about to begin; `isQuiet` asks for no line of progress.
    var follow: @Sendable (_ isQuiet: Bool) throws -> BulkFollowing = { _ in .unwatched }
    /// Whether a console sent the command and confirms its verb, which the reply then has.
    var isConfirmedOnScreen = false
    /// The numbers that tasks of other systems have in the console that has sent the command.
    var foreignNumbers: ForeignNumbers?
    /// Whether a console shows the output; it has its own hints.
    var isScreen = false
}

extension Host {
    /// Opens the named store. With `mayWriteOnce`, a read may open a store of an older version for
    /// writing to migrate it first. `announcesUpgrade` reports each migration.
    func openStore(
        _ name: String, _ access: StoreAccess, mayWriteOnce: Bool = false,
        announcesUpgrade: Bool = false
    ) throws -> any QueueStore {
        let place = StorePlace(name)
        if case .sqlite(let path) = place, Secrets.isIn(path), !Files.exists(path) {
            throw QueueError(
                .badValue, "a connection string is no store",
                fix: "write an address: postgres://USER@HOST:PORT/DATABASE")
        }
        let store: any QueueStore
        do {
            store = try open(place, access)
        } catch let error as QueueError where error.code == .readOnly && mayWriteOnce {
            var writing = access
            writing.isReadOnly = false
            store = try open(place, writing)
        }
        if announcesUpgrade, store.upgradedFrom != nil {
            // If the message cannot be written, continue.
            try? remark(Self.broughtUp(place.name))
        }
        return store
    }

    /// Writes remarks to standard error. A console shows them without the program's name.
    func remark(_ sentences: String...) throws { try remark(sentences) }

    /// Writes remarks to standard error, a line for each.
    func remark(_ sentences: [String]) throws {
        let name = isScreen ? "" : "sluice: "
        try write(SafeText.printed(sentences.map { name + $0 }), .errors)
    }

    /// The message about a migration.
    static func broughtUp(_ name: String) -> String {
        "\(name) was made by an older Sluice; its tables were changed to those of this "
            + "version first (--read-only refuses that)"
    }

    /// How large a payload from a file or standard input may be; the queue's own limit comes after.
    static let payloadLimitBytes = 1 << 28

    /// Bytes that a command line names; throws with the option's name.
    func bytes(
        of source: ByteSource, as option: String, limit: Int = payloadLimitBytes
    ) throws -> [UInt8] {
        do {
            return try read(source, limit)
        } catch {
            throw Self.unreadable(error, option)
        }
    }

    /// The error for an option's unreadable file.
    static func unreadable(_ error: any Error, _ option: String) -> QueueError {
        QueueError(
            .badValue, "\(option): \(QueueError(describing: error).message)",
            fix: "name a file that can be read, or - for standard input")
    }

    static let machine = machine(HostClock(stopped: stoppedClock))

    private static func machine(_ clock: HostClock) -> Host {
        Host(
            environment: { ProcessIdentity.environmentBytes($0).map { Word($0).text } },
            user: { "\(ProcessIdentity.userName)@\(ProcessIdentity.hostName)" },
            isTerminal: { ProcessIdentity.isTerminal(0) && ProcessIdentity.isTerminal(1) },
            canAsk: { ProcessIdentity.isTerminal(0) && ProcessIdentity.isTerminal(2) },
            isInBackground: { ProcessIdentity.isInBackground(of: $0.descriptor) },
            columns: {
                guard let size = try? TerminalSize(of: 1), size.columns > 0 else { return nil }
                return size.columns
            },
            now: { clock.now() },
            chance: {
                var random = SystemRandom()
                return Double.random(in: 0..<1, using: &random)
            },
            write: { text, output in try Standard.write(text, to: output) },
            read: { source, limit in
                switch source {
                case .bytes(let bytes): bytes
                case .file(let path): try Files.read(path, limitBytes: limit)
                case .standardInput: try Standard.readAll(limitBytes: limit)
                }
            },
            lines: { source in
                switch source {
                case .bytes(let bytes): try TaskLineFile(bytes: bytes)
                case .file(let path): try TaskLineFile(path: path)
                case .standardInput: try TaskLineFile.standardInput()
                }
            },
            readLine: {
                var reader = LineReader(limitBytes: 4096)
                return try reader.next().map { String(decoding: $0, as: UTF8.self) }
            },
            open: { clock.following(try $0.open($1, now: { clock.now() })) },
            follow: { isQuiet in
                try .command(showsLine: !isQuiet && ProcessIdentity.isTerminal(2))
            })
    }

    /// The fixed time of the clock for screenshots: `SLUICE_TEST_NOW`.
    private static var stoppedClock: Timestamp? {
        ProcessIdentity.environment("SLUICE_TEST_NOW").flatMap { Int64($0) }
            .map { Timestamp(milliseconds: $0) }
    }
}
