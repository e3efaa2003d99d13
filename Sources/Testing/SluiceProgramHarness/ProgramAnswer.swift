public import SluiceModel
public import SluicePlatform

/// What a program that has ended left behind.
public struct ProgramAnswer: Sendable, CustomStringConvertible {
    /// The words that it was started with.
    public let words: [String]
    /// How it ended.
    public let exit: ChildProcess.Exit
    /// Its standard output.
    public let output: String
    /// Its standard error.
    public let errors: String

    /// Its exit code; -1 where a signal ended it.
    public var code: Int32 {
        if case .code(let code) = exit { code } else { -1 }
    }

    /// Its standard output as JSON; null where it is none.
    public var json: JSONValue { (try? JSONValue.parse(Array(output.utf8))) ?? .null }

    /// The code of the error that it answered with `--json`.
    public var errorCode: String? {
        (try? JSONValue.parse(Array(errors.utf8)))?["error"]?["code"]?.string
    }

    /// The words, the end and both outputs.
    public var description: String {
        "sluice \(words.joined(separator: " ")) → \(exit)\n\(output)\(errors)"
    }
}
