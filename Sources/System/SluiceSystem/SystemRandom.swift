import SluiceC

/// The kernel's random numbers: the only place that asks the machine for chance.
package struct SystemRandom: RandomNumberGenerator, Sendable {
    /// Makes a generator; it has no state.
    package init() {}

    /// Sixty-four random bits from getrandom.
    package mutating func next() -> UInt64 {
        var bits: UInt64 = 0
        // Only a wrong address or a kernel before 3.17 could cause a failure here, and no caller
        // could continue without random numbers.
        let result = withUnsafeMutableBytes(of: &bits) { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            return csys_random(base, bytes.count)
        }
        precondition(result == 0, "getrandom failed")
        return bits
    }
}
