import SluiceControl
import SluiceModel

/// A step keeps the place: the list does not scroll after the running task. The cursor moves to the
/// next task, and the preview keeps the stepped one.
extension ConsoleState {
    /// The last step, until the person moves or marks.
    struct Stepping: Hashable, Sendable {
        var token: Int
        /// The executed task with its message; `nil` until the step ends.
        var done: Stepped?
        /// The next task, until the cursor reaches it.
        var next: TaskID?
        /// Whether the cursor moves on to the next task.
        var goesOn: Bool
        /// The stepped task, if the cursor was on it. The cursor stays on it without scrolling.
        var target: TaskID?
        /// The last load that does not know yet what the step did.
        var generation: Int?
    }

    /// Records a move by the person, which ends the step's control of the cursor.
    mutating func recordMove() {
        stepping = nil
        isFollowing = false
        list.heldRow = nil
    }

    /// Whether the list keeps its place even if the cursor's task moves.
    var holdsPlace: Bool {
        guard let stepping, stepping.target != nil else { return false }
        return stepping.done == nil || stepping.generation != nil
    }

    /// The task that the cursor follows while its row is visible: the stepped task while it runs.
    /// If no next task exists, the cursor follows it anywhere.
    func followed(in page: TaskPage) -> TaskID? {
        guard let stepping, let row = page.rows.first(where: { $0.task.id == stepping.target })
        else { return nil }
        return stepping.goesOn && row.task.running == nil ? nil : row.task.id
    }

    /// Leaves the stepped task at the next key after the cursor moved on. The preview must show the
    /// task that keys affect.
    mutating func leaveStepped() {
        if stepping?.done != nil, stepping?.generation == nil { recordMove() }
    }

    /// The task at the cursor, where the preview still shows the one that is or was stepped.
    var besidePreviewed: TaskID? {
        guard view == .inventory, !isOnFold, let id = list.line?.task.id, id != previewed
        else { return nil }
        return id
    }

    /// The task that the preview shows: the one stepped last, else the one at the cursor. A
    /// row of failures or of a runner is shown by one of its tasks.
    var previewed: TaskID? {
        if view == .timers { return cursors[view]?.key?.task }
        if view != .inventory {
            return scene?.request.view == view ? scene?.detail?.line.task.id : nil
        }
        return stepping?.done?.id ?? stepping?.target ?? (isOnFold ? nil : list.line?.task.id)
    }

    /// The reason against another step. Steps run one after another, and a step queued after a long
    /// one would start unexpectedly later. Fast keys for fast steps still count.
    var stepInTheWay: String? {
        guard let since = underWay.steppingSince,
            now - since >= Self.stepPatience
        else { return nil }
        let time = DurationText.seconds((now - since) / 1000)
        return "a step has run for \(time): the next one can be begun when it ends"
    }

    private static let stepPatience: Int64 = 1000

    mutating func beginStepping(_ request: StepRequest, token: Int) {
        guard view == .inventory, page == nil else { return stepping = nil }
        let line = isOnFold ? nil : list.line
        list.heldRow = nil
        isFollowing = false
        var step = Stepping(token: token, goesOn: false)
        switch request {
        case .queue:
            step.goesOn = marks.isEmpty
            step.target = line?.display == .next ? line?.task.id : nil
        case .task(let target): step.target = line?.task.id == target.id ? target.id : nil
        }
        stepping = step
    }

    mutating func recordStep(_ answer: StepAnswer?, token: Int) {
        guard var step = stepping, step.token == token else { return }
        guard let done = answer?.stepped.last else { return stepping = nil }
        step.done = done
        step.next = step.goesOn ? answer?.next : nil
        step.generation = reads.generation
        stepping = step
    }

    /// After a load, moves the cursor to the next task if it is further down. A task that is due
    /// again further up does not move the cursor back.
    mutating func goOnStepping(_ scene: LoadedScene) {
        guard let last = stepping?.generation, scene.request.generation > last else { return }
        stepping?.generation = nil
        guard let next = stepping?.next else { return }
        stepping?.next = nil
        if let row = list.page.rows.firstIndex(where: { $0.task.id == next }) {
            if row > list.cursor { list.select(row, height: layout.rowsHeight) }
        } else if list.page.reachesStart {
            var rows = RowsRequest()
            rows.follow = next
            jump = rows
            reads.isStale = true
        }
    }
}
