import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceSystem

/// One command from its words to its exit code.
struct Program: Sendable {
    let host: Host

    /// Runs the words after `sluice`, all of them texts, and gives the exit code.
    func run(_ words: [String]) -> ExitCode { run(words.map { Word($0) }) }

    /// Runs the words after `sluice` and gives the exit code.
    func run(_ words: [Word]) -> ExitCode {
        let isJSON = Self.isJSON(words)
        // A shell completes by the bytes of a name.
        let isForShell = words.first?.text == CommandLineParser.completionVerb
        guard isForShell || host.speaksUTF8 else {
            return Program(host: host.writingASCII(asJSON: isJSON)).run(words, isJSON: isJSON)
        }
        return run(words, isJSON: isJSON)
    }

    private static func isJSON(_ words: [Word]) -> Bool {
        words.lazy.map(\.text).prefix { $0 != "--" }.contains("--json")
    }

    private func run(_ words: [Word], isJSON: Bool) -> ExitCode {
        let outcome = outcome(of: words)
        do {
            for part in outcome.texts { try host.write(part, outcome.reply.stream) }
        } catch {
            return report(Outcome(unwritten(error, outcome), exit: .unwritten, isJSON: isJSON))
        }
        return report(outcome)
    }

    /// Runs the words after `sluice`, all of them texts, and leaves the answer unwritten.
    func outcome(of words: [String]) -> Outcome { outcome(of: words.map { Word($0) }) }

    /// Runs the words after `sluice`, and leaves the answer or the error unwritten.
    func outcome(of words: [Word]) -> Outcome {
        let isJSON = Self.isJSON(words)
        do {
            return try outcomeOrThrow(words)
        } catch let failed as Failed {
            return Outcome(failed.error, exit: failed.exit, isJSON: isJSON)
        } catch let error as SystemError where error.operation == .write && error.path == nil {
            let text = "the output could not be written (\(error.sentence))"
            return Outcome(QueueError(.denied, text), exit: .unwritten, isJSON: isJSON)
        } catch {
            let error = QueueError(describing: error)
            return Outcome(error, exit: ExitCode(error), isJSON: isJSON)
        }
    }

    private func outcomeOrThrow(_ words: [Word]) throws -> Outcome {
        let texts = words.map(\.text)
        let environment = host.environment("SLUICE_STORE")
        do {
            if texts.count == 3, texts[0] == KeeperLauncher.verb {
                return Outcome(try KeeperLauncher.keep(texts[1], texts[2], environment ?? ""))
            }
            if let fleet = try FleetCall(words, host) { return try perform(fleet) }
            if let place = ForeignStorePlace(words, environment: environment) {
                return try perform(words, at: place)
            }
            let began = host.now()
            let saved = try savedFilters(words)
            let line: Request
            do {
                line = try CommandLineParser.parse(words: words, saved: saved)
            } catch {
                try leaveToOthers(words, saved)
                throw numbered(error, words)
            }
            return try perform(line, began: began)
        } catch let failed as Failed
            where [.notAStore, .noStore, .damagedStore].contains(failed.error.code)
        {
            // A store of another program may have foreign queues. Its schema may use features that
            // look like damage to Sluice's own connections.
            guard
                let place = ForeignStorePlace(
                    words, environment: environment, isNoneOfOurs: true)
            else { throw failed }
            let found: ForeignStore.Finding
            do {
                found = try place.find()
            } catch  where error.saysMoreThanNoStore {
                throw Failed(error, exit: ExitCode(error, atOpening: true))
            } catch {
                throw failed
            }
            switch found {
            case .store(let store): return try perform(words, at: place, store)
            case .unfit(let error): throw Failed(error, exit: ExitCode(error, atOpening: true))
            case .nothing: throw failed
            }
        }
    }

    /// Throws the error of opening if the words are right for other systems' ids and the store is
    /// none of this program's.
    private func leaveToOthers(_ words: [Word], _ saved: [String: String]) throws {
        let request = try? CommandLineParser.parse(
            words: words, saved: saved, takesForeignTasks: true)
        guard request != nil else { return }
        do {
            _ = try reading(words) { try $0.queues(.page(behind: 0, limit: 1)) }
        } catch let failed as Failed where failed.error.code == .notAStore {
            throw failed
        } catch let failed as Failed where failed.error.code == .noStore && isAtServer(words) {
            throw failed
        } catch {
            // The words are wrong for this program's stores in any case.
        }
    }

    /// Whether the words name a database of a server.
    private func isAtServer(_ words: [Word]) -> Bool {
        let environment = host.environment("SLUICE_STORE")
        let place = ForeignStorePlace(words, environment: environment, isNoneOfOurs: true)
        guard case .postgres? = place.map({ StorePlace($0.address) }) else { return false }
        return true
    }

    /// A command at other systems' queues, which may be open.
    private func perform(
        _ words: [Word], at place: ForeignStorePlace, _ store: ForeignStore? = nil
    ) throws -> Outcome {
        let filters =
            words.contains { Self.mayName($0.text) }
            ? try SavedFilters(host.environment).texts : [:]
        let line = try CommandLineParser.parse(
            words: words, saved: filters, takesForeignTasks: true)
        let inspector = ForeignInspector(
            host: host, common: line.common, place: place, store: store)
        // List the queues if no console is possible.
        if case .console(let start) = line.invocation, !line.common.isJSON,
            (try? host.requireScreen(for: "the console", fix: "")) != nil
        {
            try inspector.openScreen(start, PersonalSettings(start, host.environment))
            return Outcome(.done)
        }
        let placing = ForeignPlacing(place, host)
        do {
            if case .follow(.alerts(let call)) = line.invocation {
                try inspector.followAlerts(call)
                return Outcome(.done)
            }
            let invocation = line.invocation.isConsole ? .query(.queues) : line.invocation
            guard let reply = try reply(to: invocation, inspector) else {
                throw try inspector.refusal()
            }
            return Outcome(placing.reply(reply), line.common, after: line.invocation)
        } catch let error as QueueError {
            throw placing.error(error)
        }
    }

    /// The commands of every inspector; `nil` for commands that only Sluice stores support.
    private func reply(to invocation: Invocation, _ inspector: any Inspector) throws -> Reply? {
        switch invocation {
        case .query(let query): try inspector.answer(query)
        case .change(let change): try inspector.change(change)
        case .step(let call): try inspector.step(call)
        case .run(let call): try inspector.run(call)
        case .doctor(let call): try inspector.doctor(call)
        case .report(let call): try inspector.report(call)
        case .expect(let call): try inspector.expect(call)
        case .record(let call): try inspector.record(call)
        default: nil
        }
    }

    private func perform(_ line: Request, began: Timestamp) throws -> Outcome {
        if let outcome = try text(line) { return outcome }
        let session = CommandContext(
            host: host, common: line.common, isReader: line.invocation.onlyReads,
            isChange: line.invocation.changesTasks, moment: line.invocation.looksOnce ? began : nil)
        defer { session.close() }
        do {
            return try perform(line, session)
        } catch let error as QueueError {
            throw session.named(error)
        }
    }

    /// The answer of a command that reads no store; `nil` for any other.
    private func text(_ line: Request) throws -> Outcome? {
        var outcome: Outcome
        switch line.invocation {
        case .version: return Outcome(Self.version, line.common)
        case .help(let topic): return Outcome(Help.reply(topic), line.common)
        case .manual(let page): outcome = Outcome(try ManualPage.reply(page), line.common)
        case .completion(let shell): outcome = Outcome(shell.script, line.common)
        case .complete(let asked): outcome = Outcome(completions(of: asked), line.common)
        default: return nil
        }
        outcome.isForProgram = true
        return outcome
    }

    /// The saved filters, if a word may use one by `@`.
    private func savedFilters(_ words: [Word]) throws -> [String: String] {
        guard words.contains(where: { Self.mayName($0.text) }) else { return [:] }
        let own = try SavedFilters(host.environment).texts
        return try sharedFilters(words).merging(own) { $1 }
    }

    /// Whether a word has an `@` as a name has it, at a beginning.
    private static func mayName(_ text: String) -> Bool {
        var former: Character = " "
        for letter in text {
            if letter == "@", former == " " || former == "(" || former == "-" || former == "=" {
                return true
            }
            former = letter
        }
        return false
    }

    /// The filters of the store that the words mean; none if there is no store.
    private func sharedFilters(_ words: [Word]) throws -> [String: String] {
        do {
            return try reading(words) { try $0.storeRecord().filters } ?? [:]
        } catch let failed as Failed where failed.error.code == .noStore {
            return [:]
        }
    }

    /// Reads the store that the words name; `nil` if they name none.
    func reading<Value: Sendable>(
        _ words: [Word], _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value? {
        guard let (named, count) = Action.command(in: words.map(\.text)),
            named.action.subject != .program,
            let arguments = try? Arguments(named.command, words: words[count...]),
            let common = try? CommandLineParser.common(arguments)
        else { return nil }
        let session = CommandContext(host: host, common: common, isReader: true)
        defer { session.close() }
        return try session.store().readBlocking(body)
    }

    private func perform(_ line: Request, _ session: CommandContext) throws -> Outcome {
        switch line.invocation {
        case .console(let start): return Outcome(try session.openConsole(start))
        case .demo(let call, let start): return Outcome(try session.demo(call, start))
        case .demoWorker(let name): try session.workForDemo(name)
        case .demoScene(let name): try session.makeDemoScene(name)
        case .follow(let following): try session.follow(following)
        case .followOutput(let call): try session.followOutput(call)
        case .exportMetrics(let address): try session.exportMetrics(at: address)
        case .work(let call): return Outcome(try session.work(call))
        default:
            return Outcome(
                try reply(to: line.invocation, session), line.common, after: line.invocation)
        }
        return Outcome(.done)
    }

    private func reply(to invocation: Invocation, _ session: CommandContext) throws -> Reply {
        switch invocation {
        case .compact(let now): try session.compact(evenIfLong: now)
        case .export(let call): try session.export(call)
        case .importTasks(let call): try session.importTasks(call)
        case .copy(let call): try session.copy(call)
        case .filters(let call): try session.filters(call)
        case .initialize(let call): try session.initialize(call)
        case .restore(let call): try named(try session.restore(call), session)
        case .replay(let call): try session.replay(call)
        case .change(let change): try named(session.change(change), session)
        default: try reply(to: invocation, session as any Inspector) ?? Reply(.null, [])
        }
    }

    private func named(_ reply: Reply, _ session: CommandContext) throws -> Reply {
        var reply = reply
        reply.lines = try session.named(reply.lines)
        return reply
    }

    /// The error for a completed command with unwritable output.
    private func unwritten(_ error: any Error, _ outcome: Outcome) -> QueueError {
        let place = outcome.reply.stream == .output ? "standard output" : "standard error"
        let isChange = outcome.leavesChange
        let done =
            !isChange
            ? "" : outcome.exit == .done ? ": the change was made" : ": what could be done was done"
        let reason = (error as? SystemError)?.sentence ?? QueueError(describing: error).message
        return QueueError(
            .denied, "the answer could not be written to \(place)\(done) (\(reason))",
            fix: isChange ? "do not repeat the command; sluice log shows its effect" : "")
    }

    /// Writes the error to standard error, if there is one; a failed write is ignored.
    private func report(_ outcome: Outcome) -> ExitCode {
        if let line = outcome.errorLine { try? host.write(line + "\n", .errors) }
        return outcome.exit
    }
}

extension Program {
    static let versionText = Release.version

    /// `version`.
    static let version = Reply(
        ["name": "sluice", "version": .string(versionText)], ["sluice \(versionText)"])
}

/// Filters compare priorities with numbers, but a queue can name its priorities (Q1).
extension Program {
    /// The refusal of a filter, with the number of the priority whose name was written: where
    /// exactly one queue of the store that the words mean has that name.
    func numbered(_ error: QueueError, _ words: [Word]) -> QueueError {
        guard error.code == .badFilter, error.fix.hasPrefix("write priority"),
            let (name, queue, priority) = named(in: error.message, words)
        else { return error }
        // The example that the parser gives is 0.
        let comparison = error.fix.dropFirst("write ".count).dropLast()
        return QueueError(
            .badFilter, error.message,
            fix: "\(name) is \(priority) in \(queue): write \(comparison)\(priority)")
    }

    /// The one entry whose name a message quotes.
    private func named(
        in message: String, _ words: [Word]
    ) -> (name: String, queue: String, priority: Int)? {
        // Ignore an unreadable store: this only improves an error message.
        guard let queues = try? reading(words, { try $0.queues() }) else { return nil }
        let all = queues.flatMap { queue in
            queue.settings.priorityNames.entries.map { ($0.name, queue.name, $0.priority) }
        }
        let found = all.filter { message.contains("\"\($0.0)\" is no number") }
        return found.count == 1 ? found.first : nil
    }
}
