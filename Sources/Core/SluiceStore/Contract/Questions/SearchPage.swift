package import SluiceModel

/// The hits in one page of a queue's tasks, and the end of the page.
package struct SearchPage: Hashable, Sendable {
    /// The matching tasks, in order.
    package var tasks: [QueueTask] = []
    /// The number of tasks scanned.
    package var looked = 0
    /// The key of the last task scanned, or `nil` if there was none.
    package var last: OrderKey?

    package init() {}

    package init(_ tasks: [QueueTask], order: QueueOrder) {
        self.tasks = tasks
        looked = tasks.count
        last = tasks.last?.orderKey(order)
    }
}

extension StoreReader {
    /// A page by what every engine answers: its tasks, then the payload of each.
    package func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        try wholePage(query, holding: text)
    }

    /// The page as an engine without a better way finds it.
    package func wholePage(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        guard let queue = try queue(named: query.queue) else { return SearchPage() }
        var page = SearchPage(try tasks(matching: query), order: queue.settings.order)
        if let text {
            page.tasks = try page.tasks.filter { try payload(of: $0.id)?.holds(text) ?? false }
        }
        return page
    }
}
