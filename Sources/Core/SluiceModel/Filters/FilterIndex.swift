/// An index of filters by their demands on a match. It limits the filters to test for a task.
package struct FilterIndex: Hashable, Sendable {
    private var demanding: [FilterDemand: [Int]] = [:]
    private var rest: [Int] = []
    private var paths: Set<PayloadPath> = []

    /// Creates an index; results are positions in `filters`.
    package init(_ filters: [TaskFilter] = []) {
        for (place, filter) in filters.enumerated() {
            guard let demands = filter.plan.demands else {
                rest.append(place)
                continue
            }
            for demand in demands {
                demanding[demand, default: []].append(place)
                if let path = demand.path { paths.insert(path) }
            }
        }
    }

    /// The positions of possible matches for a task, in order. Reads only the payload from `facts`,
    /// and only if a filter demands a part of it. Throws only errors of `facts`.
    package func places(of task: QueueTask, _ facts: some FilterFacts) throws -> [Int] {
        guard !demanding.isEmpty else { return rest }
        var found = rest
        func add(_ demand: FilterDemand) {
            if let places = demanding[demand] { found += places }
        }
        add(.id(task.id))
        add(.name(.type, task.type))
        add(.name(.queue, task.queue))
        if let session = task.session { add(.name(.session, session)) }
        if let group = task.groupStart { add(.name(.group, group)) }
        for group in task.groupMembers { add(.name(.group, group)) }
        if !paths.isEmpty {
            let payload = try facts.payload()
            for path in paths { path.scalar(in: payload)?.demands(at: path).forEach(add) }
        }
        guard found.count > rest.count else { return rest }
        return Set(found).sorted()
    }
}

/// A value that a task must have to match a filter, used as an index key.
enum FilterDemand: Hashable, Sendable {
    case id(TaskID)
    /// An exact value of a field.
    case name(TaskFilter.Field, String)
    /// A text, or a word, that reads so at a place of the payload.
    case text(PayloadPath, String)
    case number(PayloadPath, Double)

    fileprivate var path: PayloadPath? {
        switch self {
        case .id, .name: nil
        case .text(let path, _), .number(let path, _): path
        }
    }

    /// The estimated number of tasks that share the value: the smaller, the more selective.
    fileprivate var breadth: Int {
        switch self {
        case .id: 0
        case .name(.session, _): 1
        case .name(.group, _): 2
        case .name(.queue, _): 5
        case .name: 3
        case .text, .number: 4
        }
    }
}

extension TaskFilter.Expression {
    /// Alternative demands, one of them met by every match; `nil` if nothing is indexable.
    fileprivate var demands: Set<FilterDemand>? {
        switch self {
        case .term(let term): return term.demands
        case .saved(_, let part): return part.demands
        case .not: return nil
        case .all(let parts):
            func cost(_ demands: Set<FilterDemand>) -> (Int, Int) {
                (demands.map(\.breadth).max() ?? 0, demands.count)
            }
            return parts.compactMap(\.demands).min { cost($0) < cost($1) }
        case .any(let parts):
            var union: Set<FilterDemand> = []
            for part in parts {
                guard let demands = part.demands else { return nil }
                union.formUnion(demands)
            }
            return union
        }
    }
}

extension TaskFilter.Term {
    /// The maximum number of numbers in a range to index.
    private static let numbersAtMost = 100

    fileprivate var demands: Set<FilterDemand>? {
        switch self {
        case .field(let field, let patterns):
            guard [.type, .queue, .group, .session].contains(field) else { return nil }
            let names = patterns.compactMap(\.exact)
            guard names.count == patterns.count else { return nil }
            return Set(names.map { .name(field, $0) })
        case .id(_, let uuids):
            guard uuids.isEmpty,
                let ids = TaskFilter(.term(self)).ids(atMost: Self.numbersAtMost)
            else { return nil }
            return Set(ids.map { .id($0) })
        case .payload(let path, .equals(let scalar, isNegated: false)):
            return scalar.demands(at: path)
        case .letters, .state, .expression, .text, .measure, .payload: return nil
        }
    }
}

extension PayloadScalar {
    /// The index keys of a value. Two equal values share at least one.
    fileprivate func demands(at path: PayloadPath) -> Set<FilterDemand> {
        var demands: Set<FilterDemand> = [.text(path, text)]
        if let number { demands.insert(.number(path, number)) }
        return demands
    }
}
