import SluiceControl
import SluiceModel
import SluiceStore

/// View 2: the first groups of a queue, with the first members of expanded ones.
extension SceneLoader {
    func loadGroups(
        _ queue: QueueRecord, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        let store = reading.store
        let found = try store.groups(
            queue: queue.name, after: nil, limit: Self.groupLimit + 1)
        scene.hasMoreGroups = found.count > Self.groupLimit
        scene.groups = try found.prefix(Self.groupLimit).map { summary in
            var group = GroupLine(summary)
            let starts = try store.tasks(Array(summary.starts.prefix(1)))
            group.start = try reading.lines(starts, of: queue).first
            if let start = group.start { group.held = try reading.heldBack(by: start.task) }
            return group
        }
        scene.nestGroups()
        scene.unfoldGroups(
            request.folds, rows: request.rows.height, limit: Self.memberLimit)
        for index in scene.groups.indices where scene.groups[index].isOpen == true {
            let name = scene.groups[index].summary.name
            let nested = scene.groups.filter { $0.parent == name }.compactMap(\.start?.task)
            try readMembers(of: &scene.groups[index], queue, nested)
        }
    }

    /// The first members, and the members that start a group nested in this one.
    private func readMembers(
        of group: inout GroupLine, _ queue: QueueRecord, _ nested: [QueueTask]
    ) throws {
        let first = try reading.store.tasks(
            .waitingMembers(queue: queue.name, group: group.summary.name, after: .min),
            limit: Self.memberLimit)
        let read = Set(first.map(\.id))
        var tasks = first + nested.filter { !read.contains($0.id) }
        tasks.sort { $0.position < $1.position }
        group.members = try reading.lines(tasks, of: queue).map { member in
            MemberLine(line: member, holds: try reading.heldBack(by: member.task))
        }
        guard first.count >= Self.memberLimit else { return }
        group.rest = max(0, group.summary.members - tasks.count)
    }
}
