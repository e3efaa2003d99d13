import SluiceModel

/// Updates the rows that find and count group members after task changes.
extension TableWriter {
    private enum SQL {
        static let put = Query(
            .insert(
                into: "sluice_role",
                ["queue", "name", "task", "state", "rank", "position", "is_member", "holds"],
                replacing: ["queue", "name", "task"]))
        static let delete = Query(
            .delete(from: "sluice_role", where: ["queue", "name", "task"]))
        static let tally = Query(
            .insert(
                into: "sluice_group", ["queue", "name"] + counts, replacing: ["queue", "name"],
                by: counts.map { "\($0) = sluice_group.\($0) + excluded.\($0)" }
                    .joined(separator: ", ")))
        static let sweep = Query(
            .delete(
                from: "sluice_group", where: ["queue", "name"],
                numbers: ["starts": 0, "waiting": 0, "running": 0]))
        private static let counts = ["starts", "waiting", "running"]
    }

    func moveRoles(from old: Roles?, to new: Roles?) throws(QueueError) {
        guard old != new else { return }
        if let old {
            for group in old.byGroup.keys {
                groupTallies[GroupKey(queue: old.queue, name: group), default: GroupTally()]
                    .add(old.tally(of: group), times: -1)
                guard new?.queue != old.queue || new?.byGroup[group] == nil else { continue }
                let row = try connection.prepare(SQL.delete)
                row.bind(old.queue)
                row.bind(group)
                row.bind(old.task)
                try row.run()
            }
        }
        guard let new else { return }
        for (group, role) in new.byGroup {
            groupTallies[GroupKey(queue: new.queue, name: group), default: GroupTally()]
                .add(new.tally(of: group), times: 1)
            let row = try connection.prepare(SQL.put)
            row.bind(new.queue)
            row.bind(group)
            row.bind(new.task)
            row.bind(new.state.code)
            row.bind(new.rank)
            row.bind(new.position)
            row.bind(role.isMember)
            row.bind(role.holds)
            try row.run()
        }
    }

    func writeGroupTallies() throws(QueueError) {
        for (key, tally) in groupTallies where tally != GroupTally() {
            let row = try connection.prepare(SQL.tally)
            row.bind(key.queue)
            row.bind(key.name)
            row.bind(tally.starts)
            row.bind(tally.waiting)
            row.bind(tally.running)
            try row.run()
        }
        // One statement with the same values lets removals run together.
        for (key, tally) in groupTallies where tally != GroupTally() {
            let sweep = try connection.prepare(SQL.sweep)
            sweep.bind(key.queue)
            sweep.bind(key.name)
            try sweep.run()
        }
        groupTallies.removeAll(keepingCapacity: true)
    }
}
