import SluiceSystem
import SluiceTestSupport

/// The packages of other systems in virtual environments of the build folder: several, since what
/// some of them need does not go together.
enum PythonPackages {
    private static let wanted = [
        [
            "rq==3.0.0", "celery==5.7.0", "redis==7.4.1", "huey==3.5.4", "procrastinate==3.10.0",
            "psycopg[binary]==3.3.9", "saq==0.26.4", "bullmq==3.4.4", "dramatiq==2.2.1",
            "pika==1.4.4",
        ], ["arq==0.28.0", "pgqueuer==1.6.0", "psycopg[binary]==3.3.9"], newest, django,
        taskiq,
    ]
    /// Packages that require Python 3.12.
    private static let newest = ["oban==0.7.0"]
    /// Packages that require Django, installed only for their trials.
    private static let django = [
        "django-tasks-db[compat]==0.13.0", "django-q2==1.11.1", "psycopg[binary]==3.3.9",
        "pymysql==1.2.4",
    ]
    /// Packages of Taskiq, installed only for its trials.
    private static let taskiq = ["taskiq==0.13.0", "taskiq-redis==1.2.4"]
    private static let packages = [
        "djangotasks": "django-tasks-db", "djangoq": "django-q2", "taskiqstream": "taskiq",
        "exchange": "pika",
    ]
    /// How long the packages may take to come.
    private static let timeoutSeconds = 600

    private static let root = Project.folder
    static let programs = "\(root)/Tests/ProcessTests/ForeignTrials/Programs"

    /// The environment with a system's packages.
    static func folder(of system: String) -> String {
        let package = packages[system] ?? system
        let place = wanted.firstIndex { all in
            all.contains { $0.hasPrefix("\(package)==") || $0.hasPrefix("\(package)[") }
        }
        return folder(place ?? 0)
    }

    private static func folder(_ number: Int) -> String { "\(root)/.build/foreign-venv-\(number)" }

    /// Whether pip has or gets the packages. Prints one note if not.
    static let areThere: Bool = {
        do {
            for (number, packages) in wanted.enumerated()
            where ![newest, django, taskiq].contains(packages) {
                try install(packages, folder(number), by: "python3")
            }
            return true
        } catch {
            print(
                "the packages of other systems cannot be had; their trials are left out: \(error)")
            return false
        }
    }()

    /// The same for Oban's package, which needs Python 3.12.
    static let newestAreThere: Bool = {
        do {
            guard let python = try newPython() else {
                print("no Python 3.12 is found: the trial of Oban is left out")
                return false
            }
            try install(newest, folder(of: "oban"), by: python)
            return true
        } catch {
            print("the package of Oban cannot be had; its trial is left out: \(error)")
            return false
        }
    }()

    /// The same for the packages of Django's queues.
    static let djangoIsThere: Bool = {
        do {
            try install(django, folder(of: "djangotasks"), by: "python3")
            return true
        } catch {
            print("the packages of Django cannot be had; their trials are left out: \(error)")
            return false
        }
    }()

    static let taskiqIsThere: Bool = {
        do {
            try install(taskiq, folder(of: "taskiq"), by: "python3")
            return true
        } catch {
            print("the packages of Taskiq cannot be had; its trials are left out: \(error)")
            return false
        }
    }()

    /// A Python of version 3.12 or later, on the path or of pyenv.
    private static func newPython() throws -> String? {
        let home =
            ProcessIdentity.environment("PYENV_ROOT")
            ?? "\(ProcessIdentity.environment("HOME") ?? "")/.pyenv"
        let versions = ((try? Files.list("\(home)/versions")) ?? []).sorted()
        let names =
            ["python3", "python3.12", "python3.13", "python3.14"]
            + versions.map { "\(home)/versions/\($0)/bin/python3" }
        let place = try Workplace()
        let question = "import sys; sys.exit(sys.version_info < (3, 12))"
        return names.first { name in
            (try? place.start(name, ["-c", question]).answer().code) == 0
        }
    }

    private static func install(
        _ packages: [String], _ folder: String, by python: String
    ) throws {
        let mark =
            "\(folder)/"
            + packages.joined(separator: ",").split(separator: "[").joined(separator: "-")
        guard !Files.exists(mark) else { return }
        let place = try Workplace()
        for (program, words) in [
            (python, ["-m", "venv", folder]),
            ("\(folder)/bin/pip", ["install", "--quiet"] + packages),
        ] {
            let answer = try place.start(program, words).answer(withinSeconds: timeoutSeconds)
            guard answer.code == 0 else { throw ProgramFailure.unexpected("pip", answer: answer) }
        }
        try Files.writeAtomically([], to: mark)
    }
}
