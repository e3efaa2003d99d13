package import SluiceModel
import SluiceStore

/// The paths in the JSON payloads of some tasks, in filter syntax, for completion.
package struct PayloadPlaces: Hashable, Sendable {
    /// The paths of values, and with a trailing dot the paths of objects.
    private var places: Set<String> = []

    /// Limits of a search: tasks, and bytes of one payload.
    fileprivate static let taskLimit = 100
    fileprivate static let byteLimit = 16 << 10
    /// Limits on tasks and total bytes if payloads are not JSON.
    fileprivate static let furtherLimit = (tasks: 1000, bytes: 2 << 20)
    private static let depthLimit = 8
    private static let placeLimit = 400
    /// The maximum number of elements of a list.
    private static let elementLimit = 4

    init() {}

    /// Adds the paths of a payload; returns false if it is not JSON.
    mutating func add(_ payload: [UInt8]) -> Bool {
        guard let value = try? JSONValue.parse(payload) else { return false }
        add(value, at: [])
        return true
    }

    private mutating func add(_ value: JSONValue, at steps: [PayloadPath.Step]) {
        guard places.count < Self.placeLimit, steps.count < Self.depthLimit else { return }
        let name = "payload\(PayloadPath(steps))"
        switch value {
        case .object(let object):
            guard object.count > 0 else { break }
            places.insert(name + ".")
            for pair in object.pairs { add(pair.value, at: steps + [.key(pair.key)]) }
        case .array(let elements):
            for (place, element) in elements.prefix(Self.elementLimit).enumerated() {
                add(element, at: steps + [.index(place)])
            }
        default:
            if let folded = value.folded { return add(folded, at: steps) }
            if !steps.isEmpty { places.insert(name) }
        }
    }

    /// The completions of a word, one name further, with a trailing dot for objects.
    package func continuing(_ word: String) -> [String] {
        let all = places.filter { $0.hasPrefix(word) && ($0 != word || !$0.hasSuffix(".")) }
        let farther = all.filter { $0.hasSuffix(".") }
        return all.filter { place in
            !farther.contains { $0 != place && place.hasPrefix($0) }
        }.sorted()
    }
}

extension Reading {
    /// The paths in the payloads of some tasks and of the newest tasks of a queue; `nil` means all
    /// queues. Skips long payloads.
    package func payloadPlaces(
        of tasks: [QueueTask], andNewestOf queue: String?
    ) throws -> PayloadPlaces {
        var places = PayloadPlaces()
        _ = try add(tasks.prefix(PayloadPlaces.taskLimit), to: &places)
        var left = (
            found: PayloadPlaces.taskLimit, tasks: PayloadPlaces.furtherLimit.tasks,
            bytes: PayloadPlaces.furtherLimit.bytes
        )
        var last: QueueTask?
        while left.found > 0, left.tasks > 0, left.bytes > 0 {
            let selection: TaskSelection =
                queue.map { .arrivedBefore(queue: $0, position: last?.position ?? .max) }
                ?? .newest(before: last?.id)
            let page = try store.tasks(selection, limit: PayloadPlaces.taskLimit)
            let looked = try add(page[...], to: &places)
            left.found -= looked.found
            left.tasks -= page.count
            left.bytes -= looked.bytes
            last = page.last
            guard page.count == PayloadPlaces.taskLimit else { break }
        }
        return places
    }

    /// Adds the paths of a page. Returns the number of JSON payloads and of bytes read.
    private func add(
        _ tasks: ArraySlice<QueueTask>, to places: inout PayloadPlaces
    ) throws -> (found: Int, bytes: Int) {
        let heads = try store.payloadHeads(
            of: tasks.map(\.id), first: PayloadPlaces.byteLimit
        ).values
        let found = heads.count { $0.isWhole && places.add($0.bytes) }
        return (found, heads.reduce(0) { $0 + $1.bytes.count })
    }
}
