import SluiceControl
import SluiceModel

/// A step keeps the place: the list does not scroll after the task that runs, the cursor goes on
/// with what comes next, and what was stepped stays in the preview.
extension ConsoleState {
    /// The step that was asked for last, for as long as nobody moved or marked since.
    struct Stepping: Hashable, Sendable {
        var token: Int
        /// What was executed, with its words; nil until then.
        var done: Stepped?
        /// What comes next, until the cursor is there.
        var next: TaskID?
        /// Whether the cursor goes on with what comes next.
        var goesOn: Bool
        /// What is stepped, where the cursor was on it: that stays with it, and scrolls nothing.
        var target: TaskID?
        /// The last load that does not know yet what the step did.
        var generation: Int?
    }

    /// Notes that somebody moved: the place is theirs from now on.
    mutating func noteMove() {
        stepping = nil
        isFollowing = false
        list.heldRow = nil
    }

    /// Whether the list stays where it is, whatever becomes of the task at the cursor.
    var holdsPlace: Bool {
        guard let stepping, stepping.target != nil else { return false }
        return stepping.done == nil || stepping.generation != nil
    }

    /// The task with which the cursor goes where its row is in sight: what is stepped, for as long
    /// as it runs, and where nothing comes next for the cursor, wherever it goes.
    func followed(in page: TaskPage) -> TaskID? {
        guard let stepping, let row = page.rows.first(where: { $0.task.id == stepping.target })
        else { return nil }
        return stepping.goesOn && row.task.running == nil ? nil : row.task.id
    }

    /// The next key leaves what was stepped, once the cursor has gone on: what the preview shows is
    /// what keys act on.
    mutating func leaveStepped() {
        if stepping?.done != nil, stepping?.generation == nil { noteMove() }
    }

    /// The task at the cursor, where the preview still shows the one that is or was stepped.
    var besidePreviewed: TaskID? {
        guard view == .inventory, !isOnFold, let id = list.line?.task.id, id != previewed
        else { return nil }
        return id
    }

    /// The task that the preview shows: what is stepped or was stepped last, else that at the
    /// cursor. A row of failures or of a runner is shown by one of its tasks.
    var previewed: TaskID? {
        if view == .timers { return cursors[view]?.key?.task }
        if view != .inventory {
            return scene?.request.view == view ? scene?.detail?.line.task.id : nil
        }
        return stepping?.done?.id ?? stepping?.target ?? (isOnFold ? nil : list.line?.task.id)
    }

    /// Why no further step is begun: steps are done one after the other, and what is asked for
    /// behind one that takes long would begin by itself later. Quick keys for quick steps count.
    var stepInTheWay: String? {
        guard let since = underWay.steppingSince,
            now - since >= Self.stepPatience
        else { return nil }
        let time = DurationText.seconds((now - since) / 1000)
        return "a step goes on since \(time): the next one can be begun when it ends"
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

    mutating func noteStep(_ answer: StepAnswer?, token: Int) {
        guard var step = stepping, step.token == token else { return }
        guard let done = answer?.stepped.last else { return stepping = nil }
        step.done = done
        step.next = step.goesOn ? answer?.next : nil
        step.generation = reads.generation
        stepping = step
    }

    /// After rows were taken: the cursor goes on with what comes next, where that lies below it.
    /// What is due again above it pulls nobody back.
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
