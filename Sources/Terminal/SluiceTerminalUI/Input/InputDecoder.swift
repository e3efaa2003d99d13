/// Turns the bytes that a terminal sends into events; knows no terminal itself.
///
/// A sequence that it does not know becomes `.unknown` as a whole: no part of it ever counts as
/// a key. A paste is one event. A sequence that is not complete stays pending until more bytes come
/// or `flush` gives it up. Bytes that continue a sequence after that are swallowed until a second
/// `flush` (`LateSequence`). Escape and Ctrl-C always count.
package struct InputDecoder: Sendable {
    /// The maximum size of a paste. The decoder discards further bytes.
    package static let maximumPasteBytes = 4 * 1024 * 1024
    /// The maximum size of an unterminated sequence.
    static let maximumSequenceBytes = 64 * 1024

    private let known: [[UInt8]: Key]
    private let longestKnown: Int
    private var pending: [UInt8] = []
    private var place = 0
    /// How many bytes are no longer pending.
    private(set) var taken = 0
    private var paste: PasteCollector?
    /// Whether the paste timed out, so that the decoder discards its rest.
    private var isPasteLate = false
    /// Whether the next escape may end an abandoned string.
    private var endsString = false
    /// An abandoned sequence that may still continue.
    private var late: LateSequence?
    /// Whether a paste has begun and not ended, also one that was given up.
    var isWithinPaste: Bool { paste != nil }
    /// Whether the program asked the terminal something that it has not answered: its answer may
    /// take long on a slow link.
    package var awaitsAnswer = false

    /// Creates a decoder that also knows these terminfo sequences.
    ///
    /// Ignores sequences that do not begin with escape or have only one byte.
    package init(sequences: [[UInt8]: Key] = [:]) {
        known = sequences.filter { $0.key.count > 1 && $0.key.first == Self.escape }
        longestKnown = known.keys.map(\.count).max() ?? 0
    }

    /// The time before `flush` for pending bytes, or `nil` if none are pending. `TimedInput` knows
    /// its start. A slow link can delay each byte by 150 ms.
    package var timeoutMilliseconds: Int? {
        if paste != nil { return 2_000 }
        if pending.isEmpty { return late?.timeoutMilliseconds }
        // While an answer is due, an escape is rather its first byte than the key.
        if pending == [Self.escape] || pending == [Self.escape, Self.escape] {
            return awaitsAnswer ? 400 : 25
        }
        guard pending[0] == Self.escape else { return 500 }
        return awaitsAnswer ? 10_000 : 2_000
    }

    /// Takes bytes and returns the events that are complete.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        for byte in bytes {
            if late == nil { pending.append(byte) } else { events += resume(byte) }
        }
        return events + decode()
    }

    private mutating func decode() -> [InputEvent] {
        var events: [InputEvent] = []
        while place < pending.count {
            guard let event = next() else { break }
            if let event { events.append(event) }
        }
        pending.removeFirst(place)
        taken += place
        place = 0
        if !events.isEmpty { endsString = false }
        return events
    }

    /// Ends pending input after its timeout.
    package mutating func flush() -> [InputEvent] {
        if let collector = paste { return giveUp(collector) }
        guard pending.isEmpty else { return giveUp() }
        late = nil
        return []
    }

    private mutating func giveUp() -> [InputEvent] {
        defer { pending = [] }
        switch pending {
        case [Self.escape]:
            late = LateSequence(pending, isEscapeKey: true, endsString: endsString)
            return [.key(.escape)]
        case [Self.escape, Self.escape]:
            late = LateSequence([Self.escape], isEscapeKey: true)
            return [.key(.escape), .key(.escape)]
        default:
            late = LateSequence(pending, isEscapeKey: false)
            return [.unknown]
        }
    }

    /// Reports an incomplete paste. The decoder discards its later bytes. A partial end marker
    /// stays pending, so that its rest is recognised.
    private mutating func giveUp(_ collector: PasteCollector) -> [InputEvent] {
        if isPasteLate {
            (paste, isPasteLate, pending) = (nil, false, [])
            return []
        }
        (paste, isPasteLate) = (PasteCollector(limit: 0), true)
        return [collector.event]
    }

    /// Handles a byte after an abandoned sequence.
    ///
    /// Reads the byte together with the earlier bytes. If they continue the sequence, the byte is
    /// dropped. Otherwise the byte is new input.
    private mutating func resume(_ byte: UInt8) -> [InputEvent] {
        guard var sequence = late else { return [] }
        late = nil
        let isOwn = byte == Self.interrupt || byte == Self.escape
        guard !isOwn, sequence.mayGoOn(with: byte, awaitsAnswer: awaitsAnswer) else {
            endsString = byte == Self.escape && sequence.isString
            pending.append(byte)
            taken += sequence.bytes.count
            return []
        }
        var whole = InputDecoder(known: known, longestKnown: longestKnown)
        whole.pending = sequence.bytes + [byte]
        let events = whole.decode()
        if let begun = whole.paste {
            paste = begun
            taken += sequence.bytes.count
        } else if events.isEmpty {
            sequence.bytes.append(byte)
            late = sequence
            if sequence.extendsTime { taken += 1 }
        } else if events.count > 1 || !whole.pending.isEmpty {
            pending.append(byte)
            taken += sequence.bytes.count
        }
        // A late answer is still useful.
        return events.filter(\.isAnswer)
    }

    private init(known: [[UInt8]: Key], longestKnown: Int) {
        (self.known, self.longestKnown) = (known, longestKnown)
    }

    /// The next event; `.some(nil)` if bytes were consumed without an event, `nil` if it needs more
    /// bytes.
    private mutating func next() -> InputEvent?? {
        let byte = pending[place]
        if isPasteLate, byte == Self.interrupt { (paste, isPasteLate) = (nil, false) }
        if paste != nil { return collectPaste() }
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
        case UInt8(ascii: "\\") where endsString:
            return take(2, .unknown)
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
            if pending[index] == Self.interrupt { return take(index - place, .unknown) }
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
        if isWhole {
            defer { isPasteLate = false }
            return isPasteLate ? .some(nil) : .some(collector.event)
        }
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
    /// Ctrl-C, which ends all pending input.
    static let interrupt: UInt8 = 0x03

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
