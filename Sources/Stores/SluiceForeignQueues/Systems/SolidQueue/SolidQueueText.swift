import SluiceModel

/// Statements about one job of Solid Queue.
struct SolidQueueText {
    /// The number as an SQL literal.
    let id: String
    let queue: String

    private static let ready = JobTable.SolidPlace.ready.table
    private static let scheduled = JobTable.SolidPlace.scheduled.table
    private static let blocked = JobTable.SolidPlace.blocked.table
    private static let failed = JobTable.SolidPlace.failed.table

    /// The table that has a row for the job, and that row.
    static func place(_ id: String) -> String {
        let places = JobTable.SolidPlace.allCases.map {
            """
            (SELECT jsonb_build_object('kind', '\($0.rawValue)', 'row', to_jsonb(x))
            FROM \($0.table) x WHERE x.job_id = \(id))
            """
        }
        return "coalesce(\(places.joined(separator: ", ")), '{\"kind\":\"none\"}'::jsonb)"
    }

    /// The values that must be unchanged for an undo. A waiting job counts as unchanged if the
    /// dispatcher moved it.
    static func version(_ id: String) -> String {
        """
        coalesce((SELECT concat(CASE WHEN w.kind IN ('ready', 'scheduled', 'blocked')
            THEN 'waiting' ELSE w.kind END, ' ', j.finished_at, ' ', md5(j.arguments))
            FROM solid_queue_jobs j, LATERAL (SELECT (\(place("j.id")))->>'kind' AS kind) w
            WHERE j.id = \(id)), 'gone')
        """
    }

    /// Locks the rows, so that no worker or dispatcher takes the job.
    static func locking(_ id: String) -> String {
        [ready, scheduled, blocked, failed].map { table in
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE job_id = \(id) FOR UPDATE) x"
        }.joined(separator: "; ")
    }

    /// Sets columns of the job itself.
    func setting(_ values: String) -> String {
        "UPDATE solid_queue_jobs SET \(values), updated_at = now() WHERE id = \(id)"
    }

    private var aside: String {
        get throws { try SQLSession.literal(queue + SolidQueueSystem.skipMark) }
    }

    func skipping() throws -> String {
        """
        UPDATE \(Self.ready) SET queue_name = \(try aside) WHERE job_id = \(id);
        \(try tidying())
        """
    }

    func unskipping() throws -> String {
        """
        UPDATE \(Self.ready) SET queue_name = \(try SQLSession.literal(queue)) WHERE job_id = \(id);
        \(try tidying())
        """
    }

    /// Pauses the name for skipped tasks while there are any.
    private func tidying() throws -> String {
        let lies = "EXISTS (SELECT 1 FROM \(Self.ready) e WHERE e.queue_name = \(try aside))"
        return """
            INSERT INTO solid_queue_pauses (queue_name, created_at) SELECT \(try aside), now()
            WHERE \(lies) ON CONFLICT DO NOTHING;
            DELETE FROM solid_queue_pauses WHERE queue_name = \(try aside) AND NOT \(lies)
            """
    }

    /// A block of statements that may include `givingBack`.
    private func block(_ statements: String) -> String {
        """
        DO $sluice$ DECLARE key_of record; next record;
        BEGIN SELECT j.concurrency_key INTO key_of FROM solid_queue_jobs j WHERE j.id = \(id);
        \(statements) END $sluice$
        """
    }

    /// Releases the job's share of its concurrency key: the next blocked job becomes ready, or the
    /// semaphore increases.
    private func givingBack(if condition: String) -> String {
        """
        IF key_of.concurrency_key IS NOT NULL AND \(condition) THEN
            SELECT b.id, b.job_id, b.queue_name, b.priority INTO next FROM \(Self.blocked) b
            WHERE b.concurrency_key = key_of.concurrency_key AND b.job_id <> \(id)
            ORDER BY b.priority, b.job_id LIMIT 1 FOR UPDATE SKIP LOCKED;
            IF FOUND THEN
                INSERT INTO \(Self.ready) (job_id, queue_name, priority, created_at)
                VALUES (next.job_id, next.queue_name, next.priority, now());
                DELETE FROM \(Self.blocked) WHERE id = next.id;
            ELSE
                UPDATE solid_queue_semaphores s SET value = s.value + 1, updated_at = now()
                WHERE s.key = key_of.concurrency_key;
            END IF;
        END IF;
        """
    }

    private var isReady: String {
        "EXISTS (SELECT 1 FROM \(Self.ready) e WHERE e.job_id = \(id))"
    }

    /// Deletes the job's rows from the tables of waiting and failed jobs.
    private var takingOut: String {
        [Self.ready, Self.scheduled, Self.blocked, Self.failed].map {
            "DELETE FROM \($0) WHERE job_id = \(id);"
        }.joined(separator: " ")
    }

    func deleting() throws -> String {
        """
        \(block(
            """
            \(givingBack(if: isReady)) \(takingOut)
            DELETE FROM solid_queue_jobs WHERE id = \(id);
            """));
        \(try tidying())
        """
    }

    /// The dispatcher makes it ready, within the concurrency of its key.
    private func scheduling(at moment: String) -> String {
        """
        INSERT INTO \(Self.scheduled) (job_id, queue_name, priority, scheduled_at, created_at)
        SELECT j.id, j.queue_name, j.priority, \(moment), now() FROM solid_queue_jobs j
        WHERE j.id = \(id)
        """
    }

    /// Its counts of Active Job begin anew, as by its own retry.
    var retrying: String {
        """
        DELETE FROM \(Self.failed) WHERE job_id = \(id);
        DELETE FROM \(Self.scheduled) WHERE job_id = \(id);
        \(setting(
            #"""
            scheduled_at = now(), arguments = regexp_replace(regexp_replace(arguments,
            '"executions":[0-9]+', '"executions":0'),
            '"exception_executions":\{[^{}]*\}', '"exception_executions":{}')
            """#));
        \(scheduling(at: "now()"))
        """
    }

    func postponing(_ moment: String) -> String {
        """
        \(block("\(givingBack(if: isReady)) \(takingOut)"));
        \(setting("scheduled_at = \(moment)"));
        \(scheduling(at: moment))
        """
    }

    func prioritising(_ number: Int32) -> String {
        let tables = [Self.ready, Self.scheduled, Self.blocked].map {
            "UPDATE \($0) SET priority = \(number) WHERE job_id = \(id)"
        }
        return (tables + [setting("priority = \(number)")]).joined(separator: "; ")
    }

    /// Moves the job before or after all ready jobs of its queue.
    func moving(_ place: ForeignPlace) throws -> String {
        let edge: String
        switch place {
        case .first: edge = "greatest(min(e.priority)::bigint - 1, -2147483647)"
        case .last: edge = "least(max(e.priority)::bigint + 1, 2147483647)"
        case .before, .after:
            throw QueueError.notLegal(
                "Solid Queue orders by priority and number",
                fix: "--first, --last, or sluice priority")
        }
        return """
            UPDATE \(Self.ready) r SET priority = (SELECT \(edge) FROM \(Self.ready) e
            WHERE e.queue_name = r.queue_name) WHERE r.job_id = \(id)
            """
    }
}

extension SolidQueueText {
    /// Undoes a change: restores the job and its row. If the job has lost its share of the
    /// concurrency key, it is scheduled now, and the dispatcher makes it ready.
    func restoring(_ number: Int64) throws -> String {
        let kinds = JobTable.SolidPlace.allCases.filter { $0 != .claimed && $0 != .ready }
        let branches = kinds.map { kind in
            """
            ELSIF kind = '\(kind.rawValue)' THEN
                INSERT INTO \(kind.table) SELECT r.*
                FROM jsonb_populate_record(NULL::\(kind.table), u.before->'place'->'row') r;
            """
        }
        return """
            DO $sluice$ DECLARE u record; key_of record; next record; kind text; was_ready boolean;
            BEGIN
            SELECT * INTO u FROM sluice_undo WHERE number = \(number) FOR UPDATE;
            IF NOT FOUND OR \(Self.version(id)) IS DISTINCT FROM u.after_status THEN
                RAISE EXCEPTION 'sluice: changed';
            END IF;
            kind := u.before->'place'->>'kind';
            was_ready := \(isReady);
            SELECT u.before->'job'->>'concurrency_key' AS concurrency_key INTO key_of;
            IF kind <> 'ready' THEN \(givingBack(if: "was_ready")) END IF;
            \(takingOut)
            INSERT INTO solid_queue_jobs SELECT j.*
            FROM jsonb_populate_record(NULL::solid_queue_jobs, u.before->'job') j
            ON CONFLICT (id) DO UPDATE SET arguments = EXCLUDED.arguments,
            priority = EXCLUDED.priority, scheduled_at = EXCLUDED.scheduled_at,
            updated_at = EXCLUDED.updated_at;
            IF kind = 'ready' AND (was_ready OR key_of.concurrency_key IS NULL) THEN
                INSERT INTO \(JobTable.SolidPlace.ready.table) SELECT r.*
                FROM jsonb_populate_record(NULL::\(JobTable.SolidPlace.ready.table),
                u.before->'place'->'row') r;
            ELSIF kind = 'ready' THEN
                \(scheduling(at: "now()"));
            \(branches.joined(separator: "\n"))
            END IF;
            END $sluice$;
            \(try tidying())
            """
    }
}
