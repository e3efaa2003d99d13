/// A kind of work that is measured. A new one is a file with such a type and a line in `all`.
protocol Work {
    static var rows: [String] { get }
    init(bench: Workbench)
    /// Measures and reports each figure when it is known.
    func measure(_ tell: (Figure) throws -> Void) throws
}

/// All works, in order of measurement.
enum Works {
    static var all: [any Work.Type] {
        [
            EnqueueWork.self, BulkWork.self, DrainWork.self, WakeWork.self, FloorWork.self,
            FollowWork.self, MillionWork.self, MomentWork.self, QueueWork.self, LineWork.self,
            ScalingWork.self, DebuggerWork.self, IdleWork.self, ConsoleWork.self,
            BusyConsoleWork.self, LookingWork.self, ProgramWork.self, PeerWork.self,
            InstructionWork.self, PostgresWork.self,
        ]
    }
}
