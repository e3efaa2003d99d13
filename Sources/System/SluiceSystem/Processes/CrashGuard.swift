import SluiceC

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

    /// Makes a write beyond the file size limit of this process name that limit before it ends the
    /// process. To ignore the signal would leave a worker waiting for room that never comes.
    package static func explainFileSize() throws(SystemError) {
        guard csys_file_size_explain() == 0 else { throw .last(.signal, path: "XFSZ") }
    }

    /// From now on a crash leaves the terminal alone.
    package static func disarm() {
        csys_crash_disarm()
    }
}
