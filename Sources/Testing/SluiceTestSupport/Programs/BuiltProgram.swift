import SluiceSystem

/// The executable that tests run as a person would.
package enum BuiltProgram {
    /// The path of the program: `$SLUICE_PROGRAM`, otherwise `sluice` in the folder of this
    /// executable.
    package static func path() throws -> String {
        if let named = ProcessIdentity.environment("SLUICE_PROGRAM") { return named }
        return try path(of: "sluice")
    }

    /// The path of an executable in the folder of this one.
    package static func path(of name: String) throws -> String {
        let own = try ProcessIdentity.executablePath()
        let path = "\(Files.parent(of: own))/\(name)"
        guard Files.exists(path) else { throw ProgramFailure.noProgram(path) }
        return path
    }
}

/// How much a test does: little in the normal run, much where `SLUICE_SOAK` is set.
package enum Soak {
    /// Whether soak tests are enabled.
    package static var isOn: Bool { ProcessIdentity.environment("SLUICE_SOAK") != nil }

    /// One number for the normal run, another for the soak.
    package static func count(_ normal: Int, soak: Int) -> Int { isOn ? soak : normal }

    /// The seed of a test's chance: `$SLUICE_SEED`, else one of this moment. Print it.
    package static func seed() -> UInt64 {
        if let text = ProcessIdentity.environment("SLUICE_SEED"), let seed = UInt64(text) {
            return seed
        }
        return SystemClock.monotonicNanoseconds() % 1_000_000_007
    }
}

/// Numbers that look like chance and are the same for the same seed.
package struct SeededChance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }
}
