/// A parsed control sequence: the parameters after `ESC [`, and the final byte.
struct ControlSequence {
    private let marker: UInt8?
    private let parameters: [Int]
    private let isPlain: Bool
    private let final: UInt8

    init(body: ArraySlice<UInt8>, final: UInt8) {
        self.final = final
        var rest = body
        if let first = rest.first, (0x3c...0x3f).contains(first) {
            marker = first
            rest = rest.dropFirst()
        } else {
            marker = nil
        }
        isPlain = rest.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x3b }
        parameters = rest.isEmpty ? [] : Self.numbers(rest)
    }

    var startsPaste: Bool {
        marker == nil && final == UInt8(ascii: "~") && parameters == [200]
    }

    var event: InputEvent {
        guard isPlain else { return .unknown }
        if marker == UInt8(ascii: "<") { return mouse ?? .unknown }
        guard marker == nil else { return .unknown }
        if parameters.isEmpty {
            if final == UInt8(ascii: "I") { return .focus(true) }
            if final == UInt8(ascii: "O") { return .focus(false) }
            if final == UInt8(ascii: "Z") { return .key(.backTab) }
        }
        if let place { return .cursor(place) }
        guard let key = key, let modifiers else { return .unknown }
        return .key(key.with(modifiers))
    }

    private var modifiers: Modifiers? {
        guard parameters.count > 1 else { return [] }
        guard parameters.count == 2, (1...8).contains(parameters[1]) else { return nil }
        return Modifiers(rawValue: UInt8(parameters[1] - 1))
    }

    /// `ESC [ row ; column R`; of the first row it is F3 with modifiers.
    private var place: Point? {
        guard final == UInt8(ascii: "R"), parameters.count == 2, parameters[0] > 1,
            parameters[1] > 0
        else { return nil }
        return Point(x: parameters[1] - 1, y: parameters[0] - 1)
    }

    private var key: Key? {
        if final == UInt8(ascii: "~") {
            return parameters.first.flatMap(Self.numberedKey)
        }
        // A letter is a key only without parameters or after `1`, which carries modifiers.
        guard parameters.first ?? 1 == 1 else { return nil }
        return Self.letteredKey(final)
    }

    private var mouse: InputEvent? {
        guard parameters.count == 3,
            final == UInt8(ascii: "M") || final == UInt8(ascii: "m")
        else { return nil }
        let isRelease = final == UInt8(ascii: "m")
        return Self.mouse(
            bits: parameters[0], column: parameters[1], row: parameters[2], isRelease: isRelease)
    }

    private static func mouse(
        bits: Int, column: Int, row: Int, isRelease: Bool
    ) -> InputEvent? {
        guard column > 0, row > 0, column < 1 << 16, row < 1 << 16, (0..<256).contains(bits)
        else { return nil }
        let button = Mouse.Button(rawValue: UInt8(bits & 3))
        let action: Mouse.Action
        switch (bits & 64 != 0, bits & 128 != 0, bits & 32 != 0) {
        case (_, true, _): return nil
        case (true, _, _):
            let wheels: [Mouse.Action] = [.wheelUp, .wheelDown, .wheelLeft, .wheelRight]
            action = wheels[bits & 3]
        case (_, _, true): action = .move(button)
        default: action = isRelease ? .release : button.map { .press($0) } ?? .release
        }
        let modifiers = Modifiers(rawValue: UInt8(bits >> 2 & 7))
        return .mouse(
            Mouse(action, at: Point(x: column - 1, y: row - 1), modifiers: modifiers))
    }

    /// The report of terminals without SGR: three bytes, each 32 above its value.
    static func oldMouse(_ bytes: ArraySlice<UInt8>) -> InputEvent {
        let values = bytes.map { Int($0) - 32 }
        guard values.count == 3 else { return .unknown }
        return mouse(bits: values[0], column: values[1], row: values[2], isRelease: false)
            ?? .unknown
    }

    /// The keys F1 to F5 of the Linux console: `ESC [ [ A` to `E`.
    static func linuxConsoleKey(_ byte: UInt8) -> InputEvent {
        let first = UInt8(ascii: "A")
        return (first..<first + 5).contains(byte) ? .key(.f(Int(byte - first) + 1)) : .unknown
    }

    /// `ESC O` and a byte: arrows and the keypad in application mode.
    static func singleShift(_ byte: UInt8) -> InputEvent {
        switch byte {
        case UInt8(ascii: "M"): .key(.enter)
        case 0x6a...0x79: .key(.character(Character(Unicode.Scalar(byte - 0x40))))
        default: letteredKey(byte).map { .key($0) } ?? .unknown
        }
    }

    private static func letteredKey(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "P"): .f(1)
        case UInt8(ascii: "Q"): .f(2)
        case UInt8(ascii: "R"): .f(3)
        case UInt8(ascii: "S"): .f(4)
        default: nil
        }
    }

    private static func numberedKey(_ number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .f(number - 10)
        case 17...21: .f(number - 11)
        case 23, 24: .f(number - 12)
        default: nil
        }
    }

    /// Numbers between semicolons; a missing one is 1, a huge one stays below a bound.
    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.split(separator: 0x3b, maxSplits: 16, omittingEmptySubsequences: false).map { part in
            part.isEmpty ? 1 : part.reduce(0) { min($0 * 10 + Int($1) - 0x30, 1 << 20) }
        }
    }
}
