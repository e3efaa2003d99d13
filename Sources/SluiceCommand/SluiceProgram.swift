import func Glibc.exit

/// The program: hands its words to a command and ends with the command's exit code.
@main
struct SluiceProgram {
    static func main() {
        let code = Program(host: .machine).run(Array(CommandLine.arguments.dropFirst()))
        exit(code.rawValue)
    }
}
