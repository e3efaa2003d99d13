import SluiceCSystem

/// What a crash of this process still does for the terminal it runs on.
package enum CrashGuard {
    /// From now on a crash first writes `bytes` (at most 1024) and sets the modes, then goes on as
    /// it would have, with the Swift runtime's report.
    package static func arm(
        _ bytes: [UInt8], to descriptor: Int32, modes: TerminalModes?
    ) throws(SystemError) {
        let result: Int32
        if var copy = modes?.modes {
            result = csys_crash_arm(descriptor, bytes, bytes.count, descriptor, &copy)
        } else {
            result = csys_crash_arm(descriptor, bytes, bytes.count, descriptor, nil)
        }
        guard result == 0 else { throw .last(.signal, path: "a crash") }
    }

    /// From now on a crash leaves the terminal alone.
    package static func disarm() {
        csys_crash_disarm()
    }
}
