public import QueueModel
public import QueueStore

/// What of a filter an engine's index can answer by itself.
extension TaskFilter {
    /// Narrows a query by what every match has.
    public func narrow(_ query: inout TaskQuery) {
        for word in words where !word.isNegated {
            switch word.term {
            case .type(let name): query.types = [name]
            case .group(let name): query.group = name
            case .state, .queue, .session, .id: break
            }
        }
    }

    /// The numbers that every match has, where a word names few enough.
    public func ids(atMost limit: Int) -> [TaskID]? {
        for word in words where !word.isNegated {
            guard case .id(let ranges) = word.term else { continue }
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
}
