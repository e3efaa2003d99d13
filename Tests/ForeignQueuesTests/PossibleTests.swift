import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// One cell of the table of possible verbs, checked against the system's statements.
struct PossibleCell {
    let system: any ForeignSystem
    let reference: String
    let display: ForeignTask.Display

    /// The verbs that change a task or stop it.
    static let verbs = ForeignVerb.allCases.filter { $0.isOnTask && $0 != .step }

    /// The change for a verb, with the task's payload.
    private func change(_ verb: ForeignVerb, _ detail: ForeignDetail) -> ForeignChange? {
        switch verb {
        case .skip: .skip
        case .unskip: .unskip
        case .delete: .delete
        case .retry: .retry
        case .edit: .edit(detail.payload.value ?? .null)
        case .move: .move(.first)
        case .postpone:
            .postpone(Timestamp(milliseconds: SystemClock.nowMilliseconds() + 3_600_000))
        case .priority: .priority(3)
        case .pause, .resume, .step, .cancel, .reclaim, .undo: nil
        }
    }

    /// Performs a verb and compares the result with the table.
    func check(_ verb: ForeignVerb) throws {
        let detail = try #require(try system.detail(reference), "\(verb) \(display)")
        let where_ = "\(system.name) \(verb) \(display)"
        #expect(detail.task.display == display, "\(where_)")
        #expect(system.rules.displays.contains(display), "\(where_)")
        let refusal = system.rules.refusal(of: verb, on: display)
        do {
            let answer =
                try change(verb, detail).map { try system.change(reference, $0, by: "dana") }
                ?? (verb == .cancel ? system.cancel(reference) : system.reclaim(reference))
            #expect(refusal == nil && answer.changed == [reference], "\(where_)")
        } catch let error as QueueError {
            guard let refusal else {
                Issue.record("\(where_) is possible by the table: \(error)")
                return
            }
            #expect(error.code == .notLegal, "\(where_): \(error)")
            let whole = system.refusal(of: verb)
            #expect(
                whole.map { error.message == "\(system.name) cannot \(verb.infinitive): \($0)" }
                    ?? (error == refusal.error(reference)), "\(where_): \(error)")
            #expect(try system.detail(reference) == detail, "\(where_)")
        }
    }
}

@Suite("What is possible at other systems' queues")
struct PossibleTests {
    @Test("D7 what leads out of a refusal is possible itself")
    func waysOut() {
        for rules in SystemRules.all {
            for display in rules.displays {
                for verb in ForeignVerb.allCases where verb.isOnTask {
                    let refusal = rules.refusal(of: verb, on: display)
                    #expect((refusal == nil) == rules.displays(of: verb).contains(display))
                    guard case .verb(let next, _)? = refusal?.way else { continue }
                    #expect(
                        rules.displays(of: next).contains(display) && next != verb,
                        "\(rules.title) \(verb) \(display)")
                }
            }
        }
    }

    @Test("D7 a task that runs is refused with what stops it, in each system")
    func running() {
        for rules in SystemRules.all where rules.displays.contains(.running) {
            for verb in [ForeignVerb.skip, .delete, .edit] where rules.refusal(of: verb) == nil {
                let refusal = rules.refusal(of: verb, on: .running)
                #expect(refusal?.reason.hasPrefix("runs: it cannot be") == true)
                #expect(refusal?.way != nil, "\(rules.title) \(verb)")
            }
        }
        let celery = SystemRules.celery.refusal(of: .delete, on: .running)?.error("4e75")
        #expect(
            celery?.description
                == "task 4e75 runs: it cannot be deleted; sluice cancel 4e75 stops it")
        let bull = SystemRules.bullmq.refusal(of: .delete, on: .running)?.error("mail:7")
        #expect(
            bull?.description == "task mail:7 runs: it cannot be deleted; BullMQ stops no task "
                + "from outside: wait for its end")
        let oban = SystemRules.byName["oban"]?.refusal(of: .skip, on: .running)?.error("12")
        #expect(
            oban?.description
                == "task 12 runs: it cannot be skipped; Oban.cancel_job(12) stops it")
    }

    @Test("every system that a store may hold has its own rules")
    func everySystem() {
        #expect(Set(ForeignStore.systemNames) == Set(SystemRules.byName.keys))
    }
}

@Suite(
    "What is possible at tables, by their statements", .enabled(if: PostgresServer.isInstalled),
    .serialized)
struct PossibleTableTests {
    /// How a row comes to show what no verb of this program makes it show.
    private static let rows: [String: [(ForeignTask.Display, String)]] = [
        "oban": [
            (.running, "state = 'executing'"), (.succeeded, "state = 'completed'"),
            (.delayed, "state = 'scheduled', scheduled_at = now() + interval '1 hour'"),
            (.retrying, "state = 'retryable', scheduled_at = now() + interval '1 hour'"),
            (.failed, "state = 'discarded'"), (.cancelled, "state = 'cancelled'"),
            (.blocked, "state = 'suspended'"),
        ],
        "river": [
            (.running, "state = 'running'"), (.blocked, "state = 'pending'"),
            (.delayed, "state = 'scheduled', scheduled_at = now() + interval '1 hour'"),
            (.retrying, "state = 'retryable', scheduled_at = now() + interval '1 hour'"),
            (.succeeded, "state = 'completed', finalized_at = now()"),
            (.failed, "state = 'discarded', finalized_at = now()"),
            (.cancelled, "state = 'cancelled', finalized_at = now()"),
        ],
        "goodjob": [
            (.running, "performed_at = now()"), (.failed, "finished_at = now(), error = 'boom'"),
            (.delayed, "scheduled_at = now() + interval '1 hour'"),
            (.succeeded, "performed_at = now(), finished_at = now()"),
        ],
        "que": [
            (.delayed, "run_at = now() + interval '1 hour'"),
            (.retrying, "run_at = now() + interval '1 hour', error_count = 1"),
            (.failed, "expired_at = now()"), (.succeeded, "finished_at = now()"),
        ],
        "pgboss": [
            (.running, "state = 'active'"), (.succeeded, "state = 'completed'"),
            (.failed, "state = 'failed'"), (.cancelled, "state = 'cancelled'"),
            (.delayed, "start_after = now() + interval '1 hour'"),
        ],
        "graphile": [
            (.running, "locked_at = now(), locked_by = 'worker-1'"),
            (.failed, "attempts = max_attempts"), (.delayed, "run_at = now() + interval '1 hour'"),
        ],
        "procrastinate": [
            (.running, "status = 'doing'"), (.succeeded, "status = 'succeeded'"),
            (.failed, "status = 'failed'"), (.cancelled, "status = 'cancelled'"),
            (.delayed, "scheduled_at = now() + interval '1 hour'"),
        ],
    ]

    private static func reference(_ bench: TableBench, _ number: Int) throws -> String {
        let table = try bench.played.table(in: bench.session)
        return try #require(
            try bench.session.rows(
                "SELECT j.id::text AS id FROM \(table) j "
                    + "WHERE (\(bench.played.number))::text = '\(number)'"
            ).first?["id"]?.string)
    }

    @Test("D7 each verb on each state does what the table says", arguments: PlayedTable.all)
    func cells(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 1)
        let table = try played.table(in: bench.session)
        var number = 1
        func cell(
            _ display: ForeignTask.Display, _ make: (String) throws -> Void
        ) throws {
            for verb in PossibleCell.verbs {
                number += 1
                try bench.insert(number)
                let reference = try Self.reference(bench, number)
                try make(reference)
                try PossibleCell(system: bench.system, reference: reference, display: display)
                    .check(verb)
            }
        }
        try cell(.due) { _ in }
        try cell(.skipped) { _ = try bench.system.change($0, .skip, by: "dana") }
        for (display, setting) in Self.rows[played.name] ?? [] {
            try cell(display) {
                try bench.session.run(
                    "UPDATE \(table) SET \(setting) WHERE id::text = '\($0)'")
            }
        }
        if played.name == "que" {
            try cell(.running) { try bench.session.run("SELECT pg_advisory_lock(\($0))") }
        }
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        try cell(.held) { _ in }
        print("cells tried: \(played.name) \(number - 1)")
    }

    @Test("D7 a job of Solid Queue that runs or has failed is refused by the table")
    func solidQueue() throws {
        let played = try #require(PlayedTable.all.first { $0.name == "solidqueue" })
        for verb in PossibleCell.verbs {
            let bench = try TableBench(played, tasks: 2)
            let claimed = try bench.session.value(of: played.claim)
            // Only the job of a silent worker is reclaimed.
            try bench.session.run(
                "UPDATE solid_queue_processes SET last_heartbeat_at = '2026-01-01'")
            let number = try #require(Int(claimed))
            let reference = try Self.reference(bench, number)
            try PossibleCell(system: bench.system, reference: reference, display: .running)
                .check(verb)
        }
    }

    @Test("D7 a job that runs is told to, with its system's own way to stop it")
    func running() throws {
        let played = try #require(PlayedTable.all.first { $0.name == "procrastinate" })
        let bench = try TableBench(played, tasks: 1)
        let reference = try Self.reference(bench, 1)
        _ = try bench.session.value(of: played.claim)
        let error = #expect(throws: QueueError.self) {
            try bench.system.change(reference, .delete, by: "dana")
        }
        #expect(
            error?.description == "task \(reference) runs: it cannot be deleted; "
                + "app.job_manager.cancel_job_by_id(\(reference), abort=True) asks it to stop")
    }
}
