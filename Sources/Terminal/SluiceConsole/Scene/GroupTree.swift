package import SluiceControl
import SluiceModel
package import SluiceStore

/// A group of the selected queue.
package struct GroupLine: Hashable, Sendable {
    /// Its name, starts and size.
    package var summary: GroupSummary
    /// Its first start.
    package var start: TaskLine?
    /// How many waiting tasks the start holds.
    package var held = 0
    /// The parent: the group whose start holds this group's start.
    package var parent: String?
    /// Whether it is expanded; `nil` outside the visible rows.
    package var isOpen: Bool?
    /// Its first members, when expanded.
    package var members: [MemberLine] = []
    package var rest = 0

    init(_ summary: GroupSummary) { self.summary = summary }

    /// Whether there is something to unfold.
    var hasMembers: Bool { summary.members > 0 }
}

/// A member of a group, and the tasks that the member holds.
package struct MemberLine: Hashable, Sendable {
    package var line: TaskLine
    /// How many waiting tasks it holds as a start.
    package var holds: Int
}

/// A row of view 2.
struct GroupRow: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case root, first, middle, last
    }
    var key: RowKey
    var place = Place.root
    /// The group that it unfolds, by its place among all.
    var group: Int?
    /// The task, but for the row of a group.
    var line: TaskLine?
    /// How many waiting tasks that holds.
    var holds = 0
    /// The number of further tasks that were not loaded.
    var rest = 0
    var parent: RowKey?
    /// For each level in between, whether its line continues below.
    var rails: [Bool] = []
}

extension LoadedScene {
    /// The expansion of the visible groups, by name.
    var folds: [String: Bool] {
        Dictionary(
            groups.compactMap { group in group.isOpen.map { (group.summary.name, $0) } }
        ) { $1 }
    }

    /// Nests each group whose start is held under the group that holds it. A start is older than
    /// its members, so no cycle is possible.
    mutating func nestGroups() {
        var holders: [TaskID: String] = [:]
        for group in groups {
            for start in group.summary.starts { holders[start] = group.summary.name }
        }
        for index in groups.indices {
            guard let start = groups[index].start, let holder = start.heldBy,
                let name = holders[holder], start.task.groupMembers.contains(name)
            else { continue }
            groups[index].parent = name
        }
    }

    /// Expands the groups expanded before, and new ones while they fit.
    mutating func unfoldGroups(_ folds: [String: Bool], rows: Int, limit: Int) {
        let children = self.children
        let needed = groups.map { group in
            min(group.summary.members, limit)
                + (group.parent == nil && group.start != nil ? 1 : 0)
        }
        var used = children[nil]?.count ?? 0
        for (index, group) in groups.enumerated() where folds[group.summary.name] == true {
            used += needed[index]
        }
        func visit(_ index: Int) {
            let name = groups[index].summary.name
            if folds[name] == nil, groups[index].hasMembers, used + needed[index] <= rows {
                groups[index].isOpen = true
                used += needed[index]
            } else {
                groups[index].isOpen = folds[name] ?? false
            }
            guard groups[index].isOpen == true else { return }
            for child in children[name] ?? [] { visit(child) }
        }
        for index in children[nil] ?? [] { visit(index) }
    }

    private var children: [String?: [Int]] {
        Dictionary(grouping: groups.indices) { groups[$0].parent }
    }

    /// The rows of view 2: groups, and under expanded ones the start and its members.
    var groupRows: [GroupRow] {
        let children = self.children
        var rows: [GroupRow] = []
        for index in children[nil] ?? [] {
            let key = RowKey.group(groups[index].summary.name)
            rows.append(GroupRow(key: key, group: index))
            add(index, under: key, [], children, &rows)
        }
        if hasMoreGroups { rows.append(GroupRow(key: .rest(group: nil))) }
        return rows
    }

    private func add(
        _ index: Int, under parent: RowKey, _ rails: [Bool], _ children: [String?: [Int]],
        _ rows: inout [GroupRow]
    ) {
        let group = groups[index]
        guard group.isOpen == true else { return }
        let name = group.summary.name
        if let start = group.start, group.parent == nil {
            rows.append(
                GroupRow(
                    key: .member(group: name, start.task.id), place: .first, line: start,
                    parent: parent))
        }
        for (place, member) in group.members.enumerated() {
            let isLast = group.rest == 0 && place == group.members.count - 1
            let nested = children[name]?.first { groups[$0].start?.task.id == member.line.task.id }
            let key = RowKey.member(group: name, member.line.task.id)
            rows.append(
                GroupRow(
                    key: key, place: isLast ? .last : .middle, group: nested, line: member.line,
                    holds: member.holds, parent: parent, rails: rails))
            if let nested { add(nested, under: key, rails + [!isLast], children, &rows) }
        }
        guard group.rest > 0 else { return }
        rows.append(
            GroupRow(
                key: .rest(group: name), place: .last, rest: group.rest, parent: parent,
                rails: rails))
    }
}
