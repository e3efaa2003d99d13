internal import SluicePlatform
internal import SluiceReports
internal import SluiceTapes

/// What the debugger tells an app's own tests; its verbs are performed as every other.
extension QueueClient {
    /// The names of the checkpoints, the oldest first (G5).
    public func checkpoints() async throws -> [String] {
        try await store.read { try $0.storeRecord().checkpoints.all.map(\.name) }
    }

    /// What differs between two checkpoints, or between one and now, line by line as `sluice diff`
    /// tells it (G5): tasks and queues that came (`+`), went (`-`) and changed (`~`), each followed
    /// by its fields, then the executions that ended between. Without names from the newest
    /// checkpoint to now.
    ///
    /// Throws `notLegal` where there is no checkpoint, `badValue` for a name that is none.
    public func difference(from: String? = nil, to: String? = nil) async throws -> [String] {
        let now = control.now()
        return try await store.read { reader in
            let difference = try Reading(reader, now: now).difference(from: from, to: to)
            return difference.lines(TaskNames()).map(\.text)
        }
    }

    /// Stops a queue before a task that the filter matches is given to a worker, as
    /// `sluice break FILTER` does (G1): whatever matches for an hour, or until it stopped so often;
    /// gives the breakpoint's number. A step goes over it.
    ///
    /// Throws `badFilter` for a filter that asks what a breakpoint cannot know.
    @discardableResult
    public func breakBefore(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .before, times)
    }

    /// The same behind a task whose attempt has ended, after a step too.
    @discardableResult
    public func breakAfter(_ filter: String, times: Int? = nil) async throws -> Int64 {
        try await setBreakpoint(filter, .after, times)
    }

    /// The same behind a task whose attempt has failed; the filter may ask for its error.
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

    /// Removes a breakpoint, and with it the stop that it made.
    ///
    /// Throws `badValue` where none of that number stands.
    public func removeBreakpoint(_ number: Int64) async throws {
        try await control.perform(.removeBreakpoints(.numbers([number])))
    }

    /// The breakpoints that stand, by number, as `sluice break list` has them (G1): how many tasks
    /// matched, who set it, and when it ends, nil where somebody has to remove it.
    public func breakpoints() async throws -> [(
        number: Int64, filter: String, hits: Int, by: String, until: Timestamp?
    )] {
        try await look { reading in
            try reading.breakpoints().map {
                ($0.number, $0.filter.description, $0.hits, $0.by, $0.until)
            }
        }
    }

    /// The faults that stand, by number, as `sluice fault list` has them (G2): into how many
    /// attempts each was injected, who set it, and when it ends, nil where it is spent or removed.
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

    /// All that is known of some tasks as one Markdown text for a bug report, as `sluice report`
    /// writes it (G7). What stands at the paths, such as `payload.user.email`, is left out wherever
    /// the text would tell it; it ends with how often each was.
    ///
    /// Throws `unknownTask` for a task that is not there, `badValue` for a path that is none.
    public func report(_ tasks: [TaskID], redacting paths: [String] = []) async throws -> String {
        let places = try ReportText.paths(paths)
        let setting = ReportText.Setting(of: store, at: control.now())
        return try await look {
            try ReportText(of: tasks, $0, setting, redacting: places).text
        }
    }

    /// Records the store into a new file while `body` runs, all queues or some of them, and gives
    /// what it gives (G6). The console opens the file as it opens a store.
    ///
    /// Throws `notLegal` where somebody else records, what the file refuses, and what `body`
    /// throws.
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

    /// Asks the rules again for each decision on a tape, and says where they decide otherwise now
    /// (G6): nothing where they say the same.
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
