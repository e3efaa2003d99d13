import SluiceSystem

/// Pictures for documents, by tools of the system.
package enum Picture {
    private static let limitBytes = 64 << 20

    /// Turns an SVG image into a PNG one by `rsvg-convert`, `zoom` times as large.
    package static func png(_ svg: String, zoom: Double = 1) throws -> [UInt8] {
        SignalInbox.ignorePipeSignal()
        let tool = "rsvg-convert"
        let child = try ChildProcess.spawn(
            Spawn(
                tool, ["--zoom", "\(zoom)", "--format", "png"],
                environment: ProcessIdentity.environment(), input: .pipe))
        // The tool reads all input before it writes, so a deadlock is impossible.
        try child.input?.writeAll(Array(svg.utf8))
        child.input?.close()
        let png = try child.output?.readAll(limitBytes: limitBytes) ?? []
        let errors = try child.errors?.readAll(limitBytes: limitBytes) ?? []
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        let exit = try child.reap()
        guard exit == .code(0), !png.isEmpty else {
            let text = String(decoding: errors, as: UTF8.self)
            throw TerminalFailure.toolFailed(tool, exit: exit, errors: text)
        }
        return png
    }
}
