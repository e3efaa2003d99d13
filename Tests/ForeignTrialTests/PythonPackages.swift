import SluicePlatform
import SluiceProgramHarness

/// The packages of other systems in a virtual environment of the build folder.
enum PythonPackages {
    private static let wanted = [
        "rq==3.0.0", "celery==5.7.0", "redis==7.4.1", "huey==3.5.4", "procrastinate==3.10.0",
        "psycopg[binary]==3.3.9", "saq==0.26.4", "bullmq==3.4.4",
    ]
    /// How long the packages may take to come.
    private static let patienceSeconds = 600

    private static let root = String(
        #filePath.dropLast("/Tests/ForeignTrialTests/PythonPackages.swift".count))
    static let folder = "\(root)/.build/foreign-venv"
    static let programs = "\(root)/Tests/ForeignTrialTests/Programs"

    /// Whether they are there, or could be had; where they cannot, that is said once.
    static let areThere: Bool = {
        let mark =
            "\(folder)/"
            + wanted.joined(separator: ",")
            .split(separator: "[").joined(separator: "-")
        if Files.exists(mark) { return true }
        do {
            let place = try Workplace()
            for (program, words) in [
                ("python3", ["-m", "venv", folder]),
                ("\(folder)/bin/pip", ["install", "--quiet"] + wanted),
            ] {
                let answer = try place.start(program, words)
                    .answer(withinSeconds: patienceSeconds)
                guard answer.code == 0 else {
                    throw ProgramFailure.unexpected("pip", answer: answer)
                }
            }
            try Files.writeAtomically([], to: mark)
            return true
        } catch {
            print(
                "the packages of other systems cannot be had; their trials are left out: \(error)")
            return false
        }
    }()
}
