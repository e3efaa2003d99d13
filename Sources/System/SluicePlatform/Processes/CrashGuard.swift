import SluiceCSystem

/// Restores the terminal after a crash of this process.
package enum CrashGuard {
    /// Makes a crash first write `bytes` (at most 1024) and set the modes, and then continue
    /// normally with the Swift runtime's report.
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
