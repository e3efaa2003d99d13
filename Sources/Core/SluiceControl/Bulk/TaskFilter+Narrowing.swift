public import SluiceModel
public import SluiceStore

/// What of a filter an engine's index can answer by itself.
extension TaskFilter {
    /// Narrows a query by what every match has.
    public func narrow(_ query: inout TaskQuery) {
        for word in words where !word.isNegated {
            switch word.term {
            case .type(let name): query.types = [name]
            case .group(let name): query.group = name
            case .state, .queue, .session, .text, .id: break
            }
        }
    }

    /// The numbers that every match has, where a word names few enough; asked of a filter whose
    /// UUIDs were found (`found(in:)`).
    public func ids(atMost limit: Int) -> [TaskID]? {
        for word in words where !word.isNegated {
            guard case .id(let ranges, _) = word.term else { continue }
            var count = 0
            for range in ranges {
                let (width, overflow) = range.upperBound.subtractingReportingOverflow(
                    range.lowerBound)
                guard !overflow, width < limit else { return nil }
                count += Int(width) + 1
            }
            guard count <= limit else { return nil }
            return Array(Set(ranges.flatMap { Array($0) })).sorted()
        }
        return nil
    }

    /// Whether a word asks what a task shows, which takes more than the task itself to know.
    var asksDisplay: Bool {
        words.contains { if case .state = $0.term { true } else { false } }
    }

    /// The filter with the tasks of a folder that its UUIDs mean, by their numbers. Throws
    /// `badFilter` for a UUID in a store whose tasks have none.
    func found(in store: any StoreReader) throws -> TaskFilter {
        var filter = self
        for (place, word) in words.enumerated() {
            guard case .id(var ranges, let uuids) = word.term, !uuids.isEmpty else { continue }
            for uuid in uuids { ranges += try Self.tasks(uuid, in: store).map { $0...$0 } }
            filter.words[place].term = .id(ranges)
        }
        return filter
    }

    private static func tasks(
        _ reference: TaskReference, in store: any StoreReader
    ) throws -> [TaskID] {
        if let number = reference.number, try store.task(number) != nil { return [] }
        if let naming = store.naming {
            return try naming.tasks(folderIDPrefix: reference.prefix, limit: .max)
        }
        guard reference.number == nil else { return [] }
        throw QueueError(
            .badFilter, "no task of this store has a UUID such as \(reference)",
            fix: "name tasks by their numbers: id:12, id:12,15 or id:10..20")
    }
}

extension Reading {
    /// A filter that can be asked of this store's tasks.
    public func ready(_ filter: TaskFilter?) throws -> TaskFilter? {
        try filter?.found(in: store)
    }
}
