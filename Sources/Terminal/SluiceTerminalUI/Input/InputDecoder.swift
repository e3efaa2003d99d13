/// Turns the bytes that a terminal sends into events; knows no terminal itself.
///
/// A sequence that it does not know becomes `.unknown` as a whole: no part of it ever counts as
/// a key. A paste is one event. What may still go on stays pending until more bytes come or
/// `flush` says that the time is up.
package struct InputDecoder: Sendable {
    /// A paste is cut after this many bytes; the rest is swallowed.
    package static let maximumPasteBytes = 4 * 1024 * 1024
    /// A sequence that never ends is given up after this many bytes.
    static let maximumSequenceBytes = 64 * 1024

    private let known: [[UInt8]: Key]
    private let longestKnown: Int
    private var pending: [UInt8] = []
    private var place = 0
    /// How many bytes are no longer pending.
    private(set) var taken = 0
    private var paste: PasteCollector?

    /// Makes a decoder that also knows these sequences, as terminfo gives them.
    ///
    /// Only those that start with escape and are longer than one byte count.
    package init(sequences: [[UInt8]: Key] = [:]) {
        known = sequences.filter { $0.key.count > 1 && $0.key.first == Self.escape }
        longestKnown = known.keys.map(\.count).max() ?? 0
    }

    /// How long what is pending may stay so before `flush`, or nil when nothing is: `TimedInput`
    /// says from when on.
    ///
    /// 25 ms for a lone escape, 100 ms for a sequence or a sign, 2 s within a paste.
    package var timeoutMilliseconds: Int? {
        if paste != nil { return 2_000 }
        if pending.isEmpty { return nil }
        let isMaybeKey = pending[0] == Self.escape && pending.count <= 2
        return isMaybeKey ? 25 : 100
    }

    /// Takes bytes and returns the events that are complete.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        pending.append(contentsOf: bytes)
        var events: [InputEvent] = []
        while place < pending.count {
            guard let event = next() else { break }
            if let event { events.append(event) }
        }
        pending.removeFirst(place)
        taken += place
        place = 0
        return events
    }

    /// Ends what is pending because nothing followed in time.
    package mutating func flush() -> [InputEvent] {
        if var collector = paste {
            paste = nil
            collector.add(pending[...])
            pending = []
            return [collector.event]
        }
        defer { pending = [] }
        switch pending {
        case []: return []
        case [Self.escape]: return [.key(.escape)]
        case [Self.escape, Self.escape]: return [.key(.escape), .key(.escape)]
        default: break
        }
        if pending.count == 2, pending[0] == Self.escape, pending[1] < 0x80 {
            return [.key(.alt(Character(Unicode.Scalar(pending[1]))))]
        }
        return [.unknown]
    }

    /// The next event; `.some(nil)` when bytes were taken without one, nil when more are needed.
    private mutating func next() -> InputEvent?? {
        if paste != nil { return collectPaste() }
        let byte = pending[place]
        if byte != Self.escape {
            if byte >= 0x80 { return sign(from: place) { .character($0) } }
            place += 1
            return .some(.key(Self.plain(byte)))
        }
        if let (key, length) = knownSequence() {
            place += length
            return .some(.key(key))
        }
        guard place + 1 < pending.count else { return nil }
        return escaped(pending[place + 1])
    }

    private func knownSequence() -> (Key, Int)? {
        let room = min(longestKnown, pending.count - place)
        guard room > 1 else { return nil }
        for length in stride(from: room, through: 2, by: -1) {
            if let key = known[Array(pending[place..<place + length])] { return (key, length) }
        }
        return nil
    }

    private mutating func escaped(_ byte: UInt8) -> InputEvent?? {
        switch byte {
        case UInt8(ascii: "["):
            return controlSequence()
        case UInt8(ascii: "O"):
            return singleShift()
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
            UInt8(ascii: "_"):
            return controlString()
        case Self.escape:
            return escapedTwice()
        case 0x80...:
            return sign(from: place + 1) { .alt($0) }
        default:
            place += 2
            return .some(.key(Self.alt(Self.plain(byte))))
        }
    }

    /// Escape, then what may be a sequence: some terminals send Alt and an arrow so.
    private mutating func escapedTwice() -> InputEvent?? {
        guard place + 2 < pending.count else { return nil }
        let third = pending[place + 2]
        place += 1
        guard third == UInt8(ascii: "[") || third == UInt8(ascii: "O") else {
            return .some(.key(.escape))
        }
        guard let event = escaped(third) else {
            place -= 1
            return nil
        }
        guard case .some(.key(let key)) = event else { return event }
        return .some(.key(key.with(.alt)))
    }

    private mutating func controlSequence() -> InputEvent?? {
        let bytes = pending[(place + 2)...]
        guard let first = bytes.first else { return nil }
        if first == UInt8(ascii: "[") {
            guard bytes.count > 1 else { return nil }
            return take(4, ControlSequence.linuxConsoleKey(pending[place + 3]))
        }
        if first == UInt8(ascii: "M") {
            guard bytes.count > 3 else { return nil }
            let report = ControlSequence.oldMouse(bytes.dropFirst().prefix(3))
            return take(6, report)
        }
        guard let end = bytes.firstIndex(where: { !(0x20...0x3f).contains($0) }) else {
            return bytes.count > Self.maximumSequenceBytes ? take(bytes.count + 2, .unknown) : nil
        }
        // A control byte or a new escape ends a broken sequence and is read again.
        guard (0x40...0x7e).contains(pending[end]) else { return take(end - place, .unknown) }
        let sequence = ControlSequence(body: bytes[..<end], final: pending[end])
        place = end + 1
        if sequence.startsPaste {
            paste = PasteCollector(limit: Self.maximumPasteBytes)
            return .some(nil)
        }
        return .some(sequence.event)
    }

    private mutating func singleShift() -> InputEvent?? {
        guard place + 2 < pending.count else { return nil }
        let byte = pending[place + 2]
        guard (0x20...0x7e).contains(byte) else { return take(2, .unknown) }
        return take(3, ControlSequence.singleShift(byte))
    }

    /// A report that ends in BEL or ST; nothing in it is typed by the person.
    private mutating func controlString() -> InputEvent?? {
        var index = place + 2
        while index < pending.count {
            if pending[index] == 0x07 { return take(index + 1 - place, report(to: index)) }
            if pending[index] == Self.escape {
                guard index + 1 < pending.count else { return nil }
                let isEnd = pending[index + 1] == UInt8(ascii: "\\")
                return take(
                    index + (isEnd ? 2 : 0) - place, isEnd ? report(to: index) : .unknown)
            }
            index += 1
        }
        let count = pending.count - place
        return count > Self.maximumSequenceBytes ? take(count, .unknown) : nil
    }

    private func report(to end: Int) -> InputEvent {
        Theme(backgroundReport: Array(pending[place..<end])).map { .ground($0) } ?? .unknown
    }

    private mutating func collectPaste() -> InputEvent?? {
        guard var collector = paste else { return .some(nil) }
        paste = nil
        let (taken, isWhole) = collector.take(pending[place...])
        place += taken
        if isWhole { return .some(collector.event) }
        paste = collector
        return taken > 0 ? .some(nil) : nil
    }

    /// A sign of several bytes; broken ones become one `.unknown` a byte.
    private mutating func sign(from start: Int, _ key: (Character) -> Key) -> InputEvent?? {
        switch UTF8Sign(pending[start...]) {
        case .incomplete: return nil
        case .broken(let length): return take(start - place + length, .unknown)
        case .scalar(let scalar, let length):
            let isControl = scalar.value < 0xa0
            return take(
                start - place + length, isControl ? .unknown : .key(key(Character(scalar))))
        }
    }

    private mutating func take(_ count: Int, _ event: InputEvent) -> InputEvent?? {
        place += count
        return .some(event)
    }

    static let escape: UInt8 = 0x1b

    private static func plain(_ byte: UInt8) -> Key {
        switch byte {
        case 0x00: .control(" ")
        case 0x08, 0x7f: .backspace
        case 0x09: .tab
        case 0x0a, 0x0d: .enter
        case 0x01...0x1a: .control(Character(Unicode.Scalar(byte + 0x60)))
        case 0x1b...0x1f: .control(Character(Unicode.Scalar(byte + 0x40)))
        default: .character(Character(Unicode.Scalar(byte)))
        }
    }

    private static func alt(_ key: Key) -> Key {
        if case .control(let character) = key { return .alt(character) }
        return key.with(.alt)
    }
}
