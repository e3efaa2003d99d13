import SluiceControl
import SluiceSQL
import SluiceSystem

import func Glibc._exit

/// The program: hands its words to a command and ends with the command's exit code.
@main
struct SluiceProgram {
    static func main() {
        let words = ProcessArguments.all.dropFirst().map { Word($0) }
        PostgresStore.hideSecretsInArguments()
        SQLiteStore.ownsProgram()
        // Without the handler the signal still ends the process.
        try? CrashGuard.explainFileSize()
        let code = Program(host: .machine).run(words)
        code.end()
    }
}

extension ExitCode {
    /// Ends the process without the destructors of its libraries. Libkrb5's destructor destroys
    /// mutexes while another thread connects to a server.
    func end() -> Never { _exit(rawValue) }
}
