/// Several filters by what each of them demands of a match, so that a task is put only to those
/// that it may match.
package struct FilterIndex: Hashable, Sendable {
    private var demanding: [FilterDemand: [Int]] = [:]
    private var rest: [Int] = []
    private var paths: Set<PayloadPath> = []

    /// An index of filters, which are known by their places.
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

    /// The places of filters among which are all that match a task, in their order. Throws only
    /// what `facts` throw, which are asked for the payload alone, and only where a filter demands
    /// something of it.
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

/// What a task must have to match a filter, and by which it is looked up.
enum FilterDemand: Hashable, Sendable {
    /// This number.
    case id(TaskID)
    /// This value of a field that is matched exactly.
    case name(TaskFilter.Field, String)
    /// A text, or a word, that reads so at a place of the payload.
    case text(PayloadPath, String)
    /// A number there.
    case number(PayloadPath, Double)

    fileprivate var path: PayloadPath? {
        switch self {
        case .id, .name: nil
        case .text(let path, _), .number(let path, _): path
        }
    }

    /// How many tasks have it alike, guessed by its kind: the fewer, the better it tells them
    /// apart.
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
    /// Every match has one of these; nil where nothing is said that can be looked up.
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
    /// So many numbers of a range are looked up.
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
    /// What a value that equals this one is looked up by: two that are equal have one in common.
    fileprivate func demands(at path: PayloadPath) -> Set<FilterDemand> {
        var demands: Set<FilterDemand> = [.text(path, text)]
        if let number { demands.insert(.number(path, number)) }
        return demands
    }
}
