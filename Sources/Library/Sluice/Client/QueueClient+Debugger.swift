internal import SluicePlatform
internal import SluiceReports
internal import SluiceTapes

/// Debugger information for an app's tests. The client performs debugger verbs like any other verb.
extension QueueClient {
    /// The names of the checkpoints, the oldest first (G5).
    public func checkpoints() async throws -> [String] {
        try await store.read { try $0.storeRecord().checkpoints.all.map(\.name) }
    }

    /// The differences between two checkpoints, or between one and now, as lines of `sluice diff`
    /// (G5). Lists added (`+`), removed (`-`) and changed (`~`) tasks and queues, each with its
    /// fields, then the executions that ended in between. By default it compares the newest
    /// checkpoint with now.
    ///
    /// Throws `notLegal` without a checkpoint and `badValue` for an unknown name.
    public func difference(from: String? = nil, to: String? = nil) async throws -> [String] {
        let now = control.now()
        return try await store.read { reader in
            let difference = try Reading(reader, now: now).difference(from: from, to: to)
            return difference.lines(TaskNames()).map(\.text)
        }
    }

    /// Stops a queue before it gives a matching task to a worker, as `sluice break FILTER` does
    /// (G1). The breakpoint lasts an hour, or `times` stops. A step passes it. Returns its number.
    ///
    /// Throws `badFilter` for a filter that a breakpoint cannot evaluate.
    @discardableResult
    public func breakBefore(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .before, times)
    }

    /// Stops a queue after the attempt of a matching task has ended, also in a step.
    @discardableResult
    public func breakAfter(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .after, times)
    }

    /// Stops a queue after the attempt of a matching task has failed; the filter may use its error.
    @discardableResult
    public func breakOnFailure(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .onFailure, times)
    }

    private func setBreakpoint(
        _ filter: String, _ moment: Breakpoint.Moment, _ times: Int?
    ) async throws -> Int64 {
        let request = BreakRequest(try TaskFilter(filter), moment, times: times)
        let answer = try await control.perform(.setBreakpoint(request))
        guard let made = answer.breakpoints.first else {
            preconditionFailure("a breakpoint that was set is in the answer")
        }
        return made.number
    }

    /// Removes a breakpoint and ends its stop.
    ///
    /// Throws `badValue` for an unknown number.
    public func removeBreakpoint(_ number: Int64) async throws {
        try await control.perform(.removeBreakpoints(.numbers([number])))
    }

    /// The breakpoints by number, as in `sluice break list` (G1), with the number of matches, the
    /// person and the expiry. `nil` means it lasts until its removal.
    public func breakpoints() async throws -> [(
        number: Int64, filter: String, hits: Int, by: String, until: Timestamp?
    )] {
        try await look { reading in
            try reading.breakpoints().map {
                ($0.number, $0.filter.description, $0.hits, $0.by, $0.until)
            }
        }
    }

    /// The faults by number, as in `sluice fault list` (G2), with the number of injections, the
    /// person and the expiry. `nil` means it lasts until its last injection or its removal.
    public func faults() async throws -> [(
        number: Int64, filter: String, kind: Fault.Kind, applied: Int, by: String,
        until: Timestamp?
    )] {
        try await look { reading in
            try reading.faults().map {
                ($0.number, $0.filter.description, $0.kind, $0.applied, $0.by, $0.until)
            }
        }
    }

    /// A bug report about some tasks as Markdown, as `sluice report` writes it (G7). It omits the
    /// values at the given paths, such as `payload.user.email`, everywhere in the text. It ends
    /// with the number of omissions per path.
    ///
    /// Throws `unknownTask` for a missing task and `badValue` for an invalid path.
    public func report(_ tasks: [TaskID], redacting paths: [String] = []) async throws -> String {
        let places = try ReportText.paths(paths)
        let setting = ReportText.Setting(of: store, at: control.now())
        return try await look {
            try ReportText(of: tasks, $0, setting, redacting: places).text
        }
    }

    /// Records some or all queues of the store into a new file while `body` runs, and returns its
    /// result (G6). The console opens the file like a store.
    ///
    /// Throws `notLegal` during another recording. Also throws errors of the file and of `body`.
    public func recording<Value: Sendable>(
        to path: String, queues: [String]? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        var request = TapeRecorder.Request(path: path)
        request.queues = queues
        let recorder = try TapeRecorder(
            store, request, person: control.person, now: control.now)
        let stop = try EventSignal()
        let thread = try OwnThread(name: "sluice record")
        let recording = Task(executorPreference: thread) {
            try recorder.run(stop: stop, until: nil)
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        stop.signal()
        let report = try await recording.value
        let value = try result.get()
        if let loss = report.loss {
            throw QueueError(
                .notLegal, "the recording into \(path) ended early: \(loss)",
                fix: "record again")
        }
        return value
    }

    /// Asks the rules again for each decision on a tape, and returns the different decisions (G6);
    /// empty without a difference.
    ///
    /// Throws `notAStore` or `damagedStore` for a file that is no tape, or no whole one.
    public static func replay(_ path: String) throws -> [String] {
        var replay = TapeReplay(try TapeFile(path))
        let report = try replay.run(stopsAtFirst: true)
        return report.first.map { first in
            [
                "event \(first.event), \(first.what)", "tape: \(first.tape.text)",
                "rules: \(first.rules.text)",
            ]
        } ?? []
    }
}
