import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// One command at several places, with one thread for each place.
struct FleetAnswers: Sendable {
    let host: Host
    let call: FleetCall
    /// The time after which the others' answers are printed without one.
    static let patienceMilliseconds: Int64 = 10_000

    /// The answer of a place, and the lines that its command wrote before.
    private struct Answer: Sendable {
        var written = ""
        var outcome: Outcome?
    }

    /// Asks all places. The reply has their answers in the order of the command line. Its exit code
    /// is the first one that is not 0.
    func reply() throws -> Reply {
        let answers = Protected([Answer](repeating: Answer(), count: call.places.count))
        let arrived = try EventSignal()
        for (index, place) in call.places.enumerated() {
            var host = host
            host.write = { text, _ in answers.withLock { $0[index].written += text } }
            host.canAsk = { false }
            host.isConfirmedOnScreen = false
            let program = Program(host: host)
            let words = call.words + [Word("--store"), Word(place)]
            _ = try Thread(name: "sluice-place", stackBytes: 8 << 20) {
                let outcome = program.outcome(of: words)
                answers.withLock { $0[index].outcome = outcome }
                arrived.signal()
            }
        }
        let end = SystemClock.monotonicMilliseconds() + Self.patienceMilliseconds
        while true {
            let now = SystemClock.monotonicMilliseconds()
            let isDone = answers.withLock { $0.allSatisfy { $0.outcome != nil } }
            if isDone || now >= end { break }
            _ = try Poll.wait(
                fds: [PollInterest(arrived.descriptor.number)], timeoutMilliseconds: Int(end - now))
            arrived.drain()
        }
        let found = answers.withLock { $0 }
        var reply = Reply(try json(found), lines(found))
        reply.hasColours = true
        let exits = found.map { $0.outcome?.exit ?? .refused }
        reply.exit = exits.first { $0 != .done } ?? .done
        return reply
    }

    /// The lines of each place, with an empty one between places.
    private func lines(_ answers: [Answer]) -> [String] {
        let lines = zip(call.places, answers).flatMap { place, answer in
            let text = answer.outcome.map { outcome in
                answer.written + outcome.texts.joined()
                    + (outcome.errorLine.map { $0 + "\n" } ?? "")
            }
            let lines = (text ?? Self.silence).split(
                separator: "\n", omittingEmptySubsequences: false)
            return [SafeText.visible(ForeignPlaceName.shown(place))]
                + lines.map { $0.isEmpty ? "" : "  \($0)" }
        }
        return lines.last == "" ? lines.dropLast() : lines
    }

    /// `{"places": [{"store": …, "answer": …}, {"store": …, "error": …}]}`
    private func json(_ answers: [Answer]) throws -> JSONValue {
        let places = try zip(call.places, answers).map { place, answer -> JSONValue in
            var object: JSONObject = ["store": .string(ForeignPlaceName.shown(place))]
            if let outcome = answer.outcome {
                if let error = outcome.error {
                    object["error"] = ErrorJSON.value(error)
                } else {
                    object["answer"] = try outcome.reply.value
                }
            } else {
                let error = QueueError(
                    .serverGone, Self.silence.filter { $0 != "\n" }, fix: "check the place")
                object["error"] = ErrorJSON.value(error)
            }
            return .object(object)
        }
        return ["places": .array(places)]
    }

    private static let silence = "no answer within 10s\n"
}

/// `watch` at several places: each line begins with its place, and a place that goes comes back.
struct FleetWatch: Sendable {
    let host: Host
    let call: FleetCall
    private static let pauseMilliseconds = 5000

    private var isJSON: Bool { call.words.contains { $0.text == "--json" } }

    /// Follows all places until a signal ends the program.
    func run() throws -> ExitCode {
        let failed = try EventSignal()
        let failure = Protected<(any Error)?>(nil)
        for place in call.places {
            _ = try Thread(name: "sluice-place", stackBytes: 8 << 20) {
                do {
                    try follow(place)
                } catch {
                    failure.withLock { $0 = error }
                    failed.signal()
                }
            }
        }
        _ = try Poll.wait(
            fds: [PollInterest(failed.descriptor.number)], timeoutMilliseconds: nil)
        if let error = failure.withLock({ $0 }) { throw error }
        return .done
    }

    /// Follows one place. Throws if the lines cannot be written.
    private func follow(_ place: String) throws {
        let name = ForeignPlaceName.shown(place)
        let trouble = Protected<String?>(nil)
        let unwritten = Protected<(any Error)?>(nil)
        var host = host
        let write = host.write
        host.write = { text, output in
            guard output == .output else {
                let isNews = trouble.withLock { former in
                    defer { former = text }
                    return former != text
                }
                if isNews { try write(prefixed(text, name), .errors) }
                return
            }
            trouble.withLock { $0 = nil }
            do {
                try write(isJSON ? withStore(text, name) : prefixed(text, name), .output)
            } catch {
                unwritten.withLock { $0 = error }
                throw error
            }
        }
        let words = call.words + [Word("--store"), Word(place)]
        while true {
            let exit = Program(host: host).run(words)
            if let error = unwritten.withLock({ $0 }) { throw error }
            // Another exit code means a lost place, which may come back.
            if exit == .done { return }
            Thread.pause(microseconds: UInt32(Self.pauseMilliseconds) * 1000)
        }
    }

    private func prefixed(_ text: String, _ name: String) -> String {
        text.split(separator: "\n").map { "\(SafeText.visible(name))  \($0)\n" }.joined()
    }

    /// Lines of JSON with the place in each.
    private func withStore(_ text: String, _ name: String) -> String {
        text.split(separator: "\n").map { line in
            guard case .object(var object)? = try? JSONValue.parse(Array(line.utf8)) else {
                return "\(line)\n"
            }
            object["store"] = .string(name)
            return JSONValue.object(object).text + "\n"
        }.joined()
    }
}

extension Program {
    /// A command line with several places.
    func perform(_ call: FleetCall) throws -> Outcome {
        guard let command = call.command else { return Outcome(try openFleet(call)) }
        // Errors in the words are of no place.
        let line = try CommandLineParser.parse(words: call.words)
        if command.span == .endless {
            return Outcome(try FleetWatch(host: host, call: call).run())
        }
        return Outcome(
            try FleetAnswers(host: host, call: call).reply(), line.common, after: line.invocation)
    }

    private func openFleet(_ call: FleetCall) throws -> ExitCode {
        let line = try CommandLineParser.parse(words: call.words)
        guard case .console(let start) = line.invocation else { return .done }
        try host.requireScreen(
            for: "the console of several places",
            fix: "use sluice queues --store PLACE --store PLACE")
        let own = try PersonalSettings(start, host.environment)
        let person = CommandContext(host: host, common: line.common).person
        let opening = ScreenOpening(
            host: host, common: line.common, handlers: start.handlers, person: person)
        let screen = try opening.fleet(of: call.places)
        defer { screen.scenes.close() }
        try opening.show(screen, start, own) { settings in
            settings.fleet = call.places.map(ForeignPlaceName.shown)
            settings.recentStores = settings.fleet
        }
        guard let fleet = screen.scenes as? FleetScenes else { return .done }
        let words = fleet.entered.filter(ForeignStore.isForeign).flatMap { address in
            let place = ForeignStorePlace(address, as: nil)
            return ForeignInspector(host: host, common: line.common, place: place).partingWords()
        }
        // A failed write is harmless here.
        try? host.write(SafeText.printed(words), .output)
        return .done
    }
}
