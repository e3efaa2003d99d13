import SluiceControl
import SluiceModel
import SluiceStore

/// A row of view 8: an active part of the debugger.
enum DebuggerRow: Hashable, Sendable {
    /// A breakpoint, and its stops (G1).
    case breakpoint(Breakpoint, stops: [QueueStop])
    case fault(Fault)
    case clock(ClockSetting)
    case checkpoint(ShownCheckpoint)
    case recording(Recording)

    /// The identity of a row, for the cursor to follow.
    enum Key: Hashable, Sendable {
        case breakpoint(Int64)
        case fault(Int64)
        case clock
        case checkpoint(Int64)
        case recording
    }
}

extension DebuggerRow {
    var namedTasks: [TaskID] {
        guard case .breakpoint(_, let stops) = self else { return [] }
        return stops.map(\.hit.task)
    }

    var key: Key {
        switch self {
        case .breakpoint(let breakpoint, _): .breakpoint(breakpoint.number)
        case .fault(let fault): .fault(fault.number)
        case .clock: .clock
        case .checkpoint(let shown): .checkpoint(shown.checkpoint.number)
        case .recording: .recording
        }
    }

    /// The action that sets such a thing.
    var setter: Action.ID {
        switch self {
        case .breakpoint: BreakPrompt.action
        case .fault: FaultPrompt.action
        case .clock: ClockPrompt.action
        case .checkpoint: CheckpointPrompt.action
        case .recording: RecordPrompt.action
        }
    }

    /// The kind, with its number if it has one.
    var name: String {
        switch self {
        case .breakpoint(let breakpoint, _): breakpoint.name
        case .fault(let fault): "fault \(fault.number)"
        case .clock: "clock"
        case .checkpoint: "checkpoint"
        case .recording: "recording"
        }
    }

    /// The number of its hits, or `nil` if they are not counted.
    var hits: Int? {
        switch self {
        case .breakpoint(let breakpoint, _): breakpoint.hits
        case .fault(let fault): fault.applied
        case .clock, .checkpoint, .recording: nil
        }
    }

    var by: String {
        switch self {
        case .breakpoint(let breakpoint, _): breakpoint.by
        case .fault(let fault): fault.by
        case .clock(let setting): setting.by
        case .checkpoint(let shown): shown.checkpoint.by
        case .recording(let recording): recording.by
        }
    }

    /// The time when it expires, in real time.
    var until: Timestamp? {
        switch self {
        case .breakpoint(let breakpoint, _): breakpoint.until
        case .fault(let fault): fault.until
        case .clock, .checkpoint, .recording: nil
        }
    }

    var filter: TaskFilter? {
        switch self {
        case .breakpoint(let breakpoint, _): breakpoint.filter
        case .fault(let fault): fault.filter
        case .clock, .checkpoint, .recording: nil
        }
    }

    /// The queue that it stops now.
    var stopped: String? {
        guard case .breakpoint(_, let stops) = self else { return nil }
        return stops.first?.queue
    }

    /// The verb that removes it, or `nil` if only the end of its process does.
    var removal: Verb? {
        switch self {
        case .breakpoint(let breakpoint, _): .removeBreakpoints(.numbers([breakpoint.number]))
        case .fault(let fault): .removeFaults(.numbers([fault.number]))
        case .clock: .setClock(ClockRequest(.real))
        case .checkpoint(let shown): .removeCheckpoints([shown.checkpoint.name])
        case .recording: nil
        }
    }
}

extension Reading {
    /// The active parts of the debugger, sorted by kind.
    func debuggerRows() throws -> [DebuggerRow] {
        let record = try store.storeRecord()
        let stops = try self.stops()
        var rows = try breakpoints().map { breakpoint in
            DebuggerRow.breakpoint(
                breakpoint, stops: stops.filter { $0.hit.breakpoint == breakpoint.number })
        }
        rows += try faults().map(DebuggerRow.fault)
        rows += [record.clock].compactMap(\.self).map(DebuggerRow.clock)
        rows += try checkpoints().map(DebuggerRow.checkpoint)
        return rows + [record.recording].compactMap(\.self).map(DebuggerRow.recording)
    }
}
