/// Numbers that look like chance and are the same for the same seed.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The seed is mixed first: neighbours would otherwise draw the same numbers, one place on.
    init(seed: Int) { state = Self.mixed(UInt64(truncatingIfNeeded: seed) ^ 0x5851_F42D_4C95_7F2D) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    mutating func below(_ end: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % end }

    /// True with probability 1/`times`.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
