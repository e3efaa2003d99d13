import SluiceSystem

/// A failure that ends a test of a program.
package enum ProgramFailure: Error, CustomStringConvertible {
    /// The executable was not built.
    case noProgram(String)
    /// A wait timed out. Includes the state at that time.
    case timedOut(String, seconds: Int, known: String)
    case unexpected(String, answer: ProgramAnswer)
    /// A kernel file lacks the expected entry.
    case unreadable(String)

    /// One sentence and the known details.
    package var description: String {
        switch self {
        case .noProgram(let path): "there is no program at \(path): swift build makes it"
        case .timedOut(let what, let seconds, let known):
            "waited \(seconds) s for \(what)\n\(known)"
        case .unexpected(let what, let answer): "\(what): \(answer)"
        case .unreadable(let what): "\(what) cannot be read"
        }
    }
}
