import SluicePlatform

/// Why a test could not go on with a program.
package enum ProgramFailure: Error, CustomStringConvertible {
    /// The executable was not built.
    case noProgram(String)
    /// What was waited for did not come in time; with what was known then.
    case timedOut(String, seconds: Int, known: String)
    /// The answer was not what was asked for.
    case unexpected(String, answer: ProgramAnswer)
    /// A file of the kernel has not what is looked for in it.
    case unreadable(String)

    /// What happened, in one sentence and what is known of it.
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
