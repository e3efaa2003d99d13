import SluiceControl
import SluicePlatform
import SluicePostgresStore
import SluiceSQLiteStore

import func Glibc.exit

/// The program: hands its words to a command and ends with the command's exit code.
@main
struct SluiceProgram {
    static func main() {
        let words = ProcessArguments.all.dropFirst().map { Word($0) }
        PostgresStore.hideSecretsInArguments()
        SQLiteStore.ownsProgram()
        let code = Program(host: .machine).run(words)
        exit(code.rawValue)
    }
}
