package import SluiceModel
import SluiceStore

/// The places in the JSON payloads of some tasks, as filters spell them, to complete what is typed.
package struct PayloadPlaces: Hashable, Sendable {
    /// Those that have a value, and with a dot at their end those that have fields.
    private var places: Set<String> = []

    /// Payloads of so many tasks are looked at, of so many bytes, so deep, for so many places.
    private static let taskLimit = 100
    fileprivate static let byteLimit = 16 << 10
    private static let depthLimit = 8
    private static let placeLimit = 400
    /// So many elements of a list are looked at.
    private static let elementLimit = 4

    /// None.
    init() {}

    /// The tasks whose payloads are looked at.
    static func looked(_ tasks: [QueueTask]) -> [TaskID] { tasks.prefix(taskLimit).map(\.id) }

    /// Takes those of a payload, where it is JSON.
    mutating func add(_ payload: [UInt8]) {
        guard let value = try? JSONValue.parse(payload) else { return }
        add(value, at: [])
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
        default: if !steps.isEmpty { places.insert(name) }
        }
    }

    /// What a word may go on to: one name further, with a dot behind it where it has fields.
    package func continuing(_ word: String) -> [String] {
        let all = places.filter { $0.hasPrefix(word) && ($0 != word || !$0.hasSuffix(".")) }
        let farther = all.filter { $0.hasSuffix(".") }
        return all.filter { place in
            !farther.contains { $0 != place && place.hasPrefix($0) }
        }.sorted()
    }
}

extension Reading {
    /// The places in the payloads of some tasks; those of long ones are left out.
    package func payloadPlaces(of tasks: [QueueTask]) throws -> PayloadPlaces {
        var places = PayloadPlaces()
        let heads = try store.payloadHeads(
            of: PayloadPlaces.looked(tasks), first: PayloadPlaces.byteLimit)
        for head in heads.values where head.isWhole { places.add(head.bytes) }
        return places
    }
}
