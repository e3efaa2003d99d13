package import SluiceModel
package import SluiceSystem

/// The output of an ended program.
package struct ProgramAnswer: Sendable, CustomStringConvertible {
    /// The words of its command line.
    package let words: [String]
    package let exit: ChildProcess.Exit
    package let output: String
    /// Its standard error.
    package let errors: String

    /// Its exit code; -1 where a signal ended it.
    package var code: Int32 {
        if case .code(let code) = exit { code } else { -1 }
    }

    /// Its standard output as JSON, or null if invalid.
    package var json: JSONValue { (try? JSONValue.parse(Array(output.utf8))) ?? .null }

    /// The code of the error that it answered with `--json`.
    package var errorCode: String? {
        (try? JSONValue.parse(Array(errors.utf8)))?["error"]?["code"]?.string
    }

    /// The words, the end and both outputs.
    package var description: String {
        "sluice \(words.joined(separator: " ")) → \(exit)\n\(output)\(errors)"
    }
}
