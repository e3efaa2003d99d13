package import SluiceModel

/// Verbs that may be the first of their kind in a store, which ends attached programs of older
/// versions (P4).
extension Verb {
    /// The part of the debugger that it uses; nil for other verbs, and where a person has agreed
    /// that those programs end.
    package var debuggerPart: DebuggerPart? {
        switch self {
        case .setBreakpoint(let request) where !request.endsOlder: .breakpoints
        case .setFault(let request) where !request.endsOlder: .faults
        case .setClock(let request) where !request.endsOlder && request.change != .real: .clock
        case .takeCheckpoint(let request) where !request.endsOlder: .checkpoints
        default: nil
        }
    }

    /// The same verb, with which those programs may end.
    package var endingOlder: Verb {
        switch self {
        case .setBreakpoint(var request):
            request.endsOlder = true
            return .setBreakpoint(request)
        case .setFault(var request):
            request.endsOlder = true
            return .setFault(request)
        case .setClock(var request):
            request.endsOlder = true
            return .setClock(request)
        case .takeCheckpoint(var request):
            request.endsOlder = true
            return .takeCheckpoint(request)
        default: return self
        }
    }
}
