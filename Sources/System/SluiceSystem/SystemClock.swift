import SluiceC

/// The machine's clocks: the only place that asks for the time.
///
/// Everything else takes the time as an argument.
package enum SystemClock {
    /// Wall clock time in milliseconds since 1970; it may jump in both directions.
    package static func nowMilliseconds() -> Int64 {
        csys_realtime_nanoseconds() / 1_000_000 + shiftMilliseconds
    }

    /// By how much the machine's clock is wrong, for tests: `SLUICE_TEST_CLOCK`.
    private static let shiftMilliseconds =
        ProcessIdentity.environment("SLUICE_TEST_CLOCK").flatMap { Int64($0) } ?? 0

    /// A clock that never goes back, in nanoseconds since an arbitrary moment; for durations.
    package static func monotonicNanoseconds() -> UInt64 {
        csys_monotonic_nanoseconds()
    }

    /// The processor time of this process so far, in nanoseconds.
    package static func processorNanoseconds() -> UInt64 {
        csys_processor_nanoseconds()
    }

    /// The processor time of this thread so far, in nanoseconds.
    package static func threadNanoseconds() -> UInt64 {
        csys_thread_nanoseconds()
    }

    /// The clock that never goes back in milliseconds; every process of a boot reads the same.
    package static func monotonicMilliseconds() -> Int64 {
        Int64(csys_monotonic_nanoseconds() / 1_000_000)
    }
}
