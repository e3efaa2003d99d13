package import SluiceModel

/// The tasks that a write reads first.
///
/// A store at a server answers them in the round trip that begins the commit. They are a hint: the
/// body reads the same values without it.
package struct ExpectedReads: Hashable, Sendable {
    /// The first tasks of a selection.
    package struct Page: Hashable, Sendable {
        /// The selection, in its forward order.
        package var selection: TaskSelection
        /// The highest number of tasks to read.
        package var limit: Int
    }

    package private(set) var tasks: [TaskID] = []
    /// Selections to read from their start, each with the largest requested limit.
    package private(set) var pages: [Page] = []
    package private(set) var runners: [ProcessID] = []
    /// Whether to read the rows that applications inserted.
    package private(set) var hasInbox = false

    /// No reads.
    package init() {}

    package var isEmpty: Bool {
        tasks.isEmpty && pages.isEmpty && runners.isEmpty && !hasInbox
    }

    package mutating func add(_ ids: [TaskID]) { tasks += ids }

    package mutating func addLeases(of runner: ProcessID) { runners.append(runner) }

    /// Adds the rows that applications inserted.
    package mutating func addInbox() { hasInbox = true }

    /// Adds the first tasks of a selection.
    package mutating func add(_ selection: TaskSelection, limit: Int) {
        guard limit > 0, !selection.isBackwards else { return }
        let key = selection.unlimited
        if let place = pages.firstIndex(where: { $0.selection == key }) {
            pages[place].limit = max(pages[place].limit, limit)
        } else {
            pages.append(Page(selection: key, limit: limit))
        }
    }

    /// Leaves out the pages that do not satisfy a condition.
    package mutating func keepPages(where isKept: (Page) -> Bool) {
        pages.removeAll { !isKept($0) }
    }

    /// Adds the reads of another body that shares the commit.
    package mutating func add(_ other: ExpectedReads) {
        add(other.tasks)
        runners += other.runners
        hasInbox = hasInbox || other.hasInbox
        for page in other.pages { add(page.selection, limit: page.limit) }
    }
}

extension TaskSelection {
    /// The selection without the limit that the query of a page carries.
    package var unlimited: TaskSelection {
        guard case .page(var query) = self else { return self }
        query.limit = 0
        return .page(query)
    }
}
