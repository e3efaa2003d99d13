import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A foreign system with unmodified workers, a Sluice process that holds and steps it, and a log of
/// the handler calls.
final class Trial {
    enum System: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case rq, celery, huey, procrastinate, saq, bullmq, sidekiq
        case hueyRedis, arq, dramatiq, pgqueuer, bullmqCluster, oban
        case celeryRabbit, pikaRabbit, exchangeRabbit, dramatiqRabbit
        case taskiq, taskiqstream, laravelRedis
        case laravel, delayedjob, symfony, djangotasks, djangoq
        case laravelPostgres, delayedjobPostgres, symfonyPostgres, djangotasksPostgres
        case djangoqPostgres
        case laravelMariaDB, delayedjobMariaDB, symfonyMariaDB, djangotasksMariaDB, djangoqMariaDB

        /// The systems tested in every run.
        static let few: [System] =
            [.rq, .celery, .huey, .procrastinate] + (laravel.isThere ? [.laravel] : [])
            + (RabbitServer.isInstalled ? [.celeryRabbit, .exchangeRabbit] : [])
        /// The systems with installed workers, or the selected ones among them.
        static let all = allCases.filter { $0 != .sidekiq || Files.exists("/usr/bin/sidekiq") }
            .filter { TrialSize.names.isEmpty || TrialSize.names.contains($0.rawValue) }
            .filter { $0 != .oban || PythonPackages.newestAreThere }
            .filter { !$0.isAtRabbit || RabbitServer.isInstalled }
            .filter { $0.app == nil || $0.isThere }
            .filter { !$0.name.hasPrefix("taskiq") || PythonPackages.taskiqIsThere }

        var testDescription: String { rawValue }

        /// Its name for `--as`.
        var asked: String { isAtRabbit ? "rabbitmq" : name }

        /// Whether its broker is RabbitMQ.
        var isAtRabbit: Bool { rawValue.hasSuffix("Rabbit") }

        /// Whether its steps may take an arrival along.
        var isNear: Bool { [.laravelRedis, .pikaRabbit, .dramatiqRabbit].contains(self) }

        /// The name of its package and its program, and most often for `--as`.
        var name: String {
            switch self {
            case .hueyRedis: System.huey.rawValue
            case .bullmqCluster: System.bullmq.rawValue
            default:
                ["Postgres", "MariaDB", "Redis", "Rabbit"].reduce(rawValue) {
                    String($0.split(separator: $1)[0])
                }
            }
        }

        /// Whether its tables lie in MariaDB.
        var isInMariaDB: Bool { rawValue.hasSuffix("MariaDB") }

        /// The program that is its worker, its sender and the maker of its tables.
        var app: (interpreter: String, file: String)? {
            switch name {
            case "laravel", "symfony": ("php", "\(name)_app.php")
            case "delayedjob": ("ruby", "delayedjob_app.rb")
            case "djangotasks", "djangoq": ("python", "\(name)_app.py")
            default: nil
            }
        }

        /// Whether the library of such a program is there, by Debian's package or out of PyPI.
        var isThere: Bool { hasLibrary && (!isInMariaDB || hasMariaDB) }

        private var hasMariaDB: Bool {
            let client = name == "delayedjob" ? "ruby-mysql2" : "php-mysql"
            return MariaDBServer.isInstalled
                && (app?.interpreter == "python" || Files.exists("/usr/share/doc/\(client)"))
        }

        private var hasLibrary: Bool {
            switch name {
            case "laravel":
                ["Queue", "Bus"].allSatisfy {
                    Files.exists("/usr/share/php/Illuminate/\($0)/autoload.php")
                }
                    && (self != .laravelRedis
                        || Files.exists("/usr/share/php/Illuminate/Redis/autoload.php")
                            && Files.exists("/usr/share/doc/php-redis"))
            case "symfony": Files.exists("/usr/share/php/Symfony/Component/Messenger/autoload.php")
            case "delayedjob":
                Files.exists("/usr/share/doc/ruby-delayed-job-active-record")
            default: PythonPackages.djangoIsThere
            }
        }

        /// The name of its queue. In a cluster all its keys share one slot.
        var queue: String { self == .bullmqCluster ? "{bull}:mail" : "mail" }
    }

    let system: System
    let place: Workplace
    let store: String
    private let redis: RedisServer?
    private let cluster: RedisNodes?
    private let rabbit: RabbitServer?
    private(set) var workers: [RunningProgram] = []
    private var environment: [String] = []

    init(_ system: System) throws {
        self.system = system
        place = try Workplace()
        cluster = system == .bullmqCluster ? try RedisNodes() : nil
        rabbit = system.isAtRabbit ? try RabbitServer() : nil
        switch system {
        case .rq, .celery, .saq, .bullmq, .sidekiq, .hueyRedis, .arq, .dramatiq, .taskiq,
            .taskiqstream, .laravelRedis:
            let server = try RedisServer()
            redis = server
            store = server.address()
        case .bullmqCluster:
            redis = nil
            store = cluster?.servers[0].address() ?? ""
        case .celeryRabbit, .pikaRabbit, .exchangeRabbit, .dramatiqRabbit:
            redis = nil
            store = rabbit?.address() ?? ""
        case .huey:
            redis = nil
            store = place.file("huey.db")
        case .laravel, .delayedjob, .symfony, .djangotasks, .djangoq:
            redis = nil
            store = place.file("app.db")
            try Files.writeAtomically([], to: store)
        case .procrastinate, .pgqueuer, .oban, .laravelPostgres, .delayedjobPostgres,
            .symfonyPostgres, .djangotasksPostgres, .djangoqPostgres:
            redis = nil
            let server = try PostgresServer.shared()
            let name = "trial_\(server.newName())"
            try server.run("CREATE DATABASE \(name)")
            store = server.address(name)
        case .laravelMariaDB, .delayedjobMariaDB, .symfonyMariaDB, .djangotasksMariaDB,
            .djangoqMariaDB:
            redis = nil
            let server = try MariaDBServer.shared()
            store = server.address(try server.makeDatabase())
        }
        environment = [
            "TRIAL_URL=\(rabbit?.url ?? store)", "TRIAL_LOG=\(place.file("log"))",
            "PYTHONPATH=\(PythonPackages.programs)", "PYTHONDONTWRITEBYTECODE=1",
            "PYTHONUNBUFFERED=1", "TRIAL_EXCHANGE=\(system == .exchangeRabbit ? "orders" : "")",
            "TRIAL_CLUSTER=\(cluster == nil ? "" : "yes")",
        ]
        try prepare()
        workers = try (0..<2).map { try startWorker($0) }
    }

    private func program(_ name: String) -> String {
        "\(PythonPackages.folder(of: system.name))/bin/\(name)"
    }

    /// Begins its own program in one of its parts.
    private func begin(_ app: (interpreter: String, file: String), _ words: [String]) throws
        -> RunningProgram
    {
        let interpreter =
            app.interpreter == "python" ? program("python") : app.interpreter
        return try place.start(
            interpreter, ["\(PythonPackages.programs)/\(app.file)"] + words,
            environment: environment)
    }

    private func prepare() throws {
        if let app = system.app {
            try place.expecting(0, begin(app, ["install"]).answer())
            return
        }
        let words: [String]
        switch system {
        case .procrastinate:
            words = ["procrastinate", "--app=procrastinate_app.app", "schema", "--apply"]
        case .pgqueuer, .oban:
            words = ["python", "\(PythonPackages.programs)/\(system.name)_app.py", "install"]
        default: return
        }
        let answer = try place.start(
            program(words[0]), Array(words.dropFirst()), environment: environment
        ).answer()
        try place.expecting(0, answer)
    }

    func startWorker(_ number: Int) throws -> RunningProgram {
        if let app = system.app { return try begin(app, ["work"]) }
        let words: [String]
        switch system {
        case .rq: words = ["rq", "worker", "mail", "--url", store]
        case .celery, .celeryRabbit:
            words = [
                "celery", "-A", "celery_app", "worker", "-Q", "mail", "-c", "2", "-n",
                "trial\(number)@%h", "-l", "warning",
            ]
        case .huey, .hueyRedis: words = ["huey_consumer", "huey_app.huey", "-w", "2"]
        case .procrastinate:
            words = ["procrastinate", "--app=procrastinate_app.app", "worker", "-q", "mail"]
        case .arq: words = ["arq", "arq_app.WorkerSettings"]
        case .pikaRabbit, .exchangeRabbit:
            words = ["python", "\(PythonPackages.programs)/pika_app.py"]
        case .dramatiq, .dramatiqRabbit: words = ["dramatiq", "dramatiq_app", "-p", "1", "-t", "2"]
        case .pgqueuer, .oban:
            words = ["python", "\(PythonPackages.programs)/\(system.name)_app.py"]
        case .saq: words = ["saq", "saq_app.settings"]
        case .taskiq, .taskiqstream:
            words = ["taskiq", "worker", "\(system.name)_app:broker", "--workers", "1"]
        case .bullmq, .bullmqCluster:
            words = ["python", "\(PythonPackages.programs)/bullmq_app.py"]
        case .sidekiq:
            return try place.start(
                "/usr/bin/sidekiq",
                ["-r", "\(PythonPackages.programs)/sidekiq_app.rb", "-q", "mail", "-c", "2"],
                environment: environment)
        default: throw ProgramFailure.noProgram("a worker of \(system)")
        }
        return try place.start(
            program(words[0]), Array(words.dropFirst()), environment: environment)
    }

    /// Runs another program of its folder to its end.
    func run(_ words: [String]) throws {
        let path = "\(PythonPackages.programs)/\(words[0])"
        let all = [path] + words.dropFirst()
        try place.expecting(
            0, place.start(program("python"), all, environment: environment).answer())
    }

    /// Kills a worker and starts another.
    func restartWorker(_ number: Int) throws {
        try workers[number].child.signalGroup(.kill)
        try workers[number].answer()
        workers[number] = try startWorker(number)
    }

    /// Begins to send tasks. Each prints its number and reference.
    func send(
        _ first: Int, _ count: Int, every seconds: Double = 0, kind: [String] = []
    ) throws -> RunningProgram {
        if let app = system.app, app.interpreter != "python" {
            return try begin(app, ["send", "\(first)", "\(count)", "\(seconds)"])
        }
        if system == .sidekiq {
            return try place.start(
                "ruby",
                [
                    "\(PythonPackages.programs)/sidekiq_app.rb", "\(first)", "\(count)",
                    "\(seconds)",
                ], environment: environment)
        }
        return try place.start(
            program("python"),
            [
                "\(PythonPackages.programs)/send.py", system.name, "\(first)", "\(count)",
                "\(seconds)",
            ] + kind, environment: environment)
    }

    /// The references of what a sender has sent, by its numbers.
    static func sent(_ sender: RunningProgram) -> [Int: String] {
        let lines = sender.output.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(
            lines.compactMap { parts in
                guard parts.count == 2, let number = Int(parts[0]) else { return nil }
                return (number, String(parts[1]))
            }, uniquingKeysWith: { $1 })
    }

    /// The handler calls so far. A near step may take an arrival along: those do not count.
    var stepped: [Int] { system.isNear ? log.filter { $0 < 1000 } : log }

    /// The handler calls so far.
    var log: [Int] { numbers("log") }

    /// The tasks that ran and that the system itself runs again, by the report of its workers.
    var again: [Int] { numbers("log.again") }

    private func numbers(_ file: String) -> [Int] {
        place.text(file).split(separator: "\n").compactMap { Int($0) }
    }

    /// Waits until all of them ran, as long as one more runs before each timeout, then checks that
    /// each ran once. What the system itself runs again counts once more.
    func expectEachOnce(_ all: Set<Int>) throws {
        var (calls, once, isOver) = (0, 0, false)
        repeat {
            let known = calls
            try wait(for: "all run") {
                let (log, again) = (self.log, self.again)
                (calls, once) = (log.count, Set(log).count + again.count)
                isOver = all.isSubset(of: log) && calls >= once
                return isOver || calls > known
            }
        } while !isOver
        #expect(calls == once)
    }

    /// The program at the store.
    @discardableResult
    func sluice(_ words: [String]) throws -> ProgramAnswer {
        try place.sluice(words + ["--store", store, "--as", system.asked, "--by", "dana"])
    }

    /// The same, begun and not waited for.
    func begin(_ words: [String]) throws -> RunningProgram {
        try place.start(words + ["--store", store, "--as", system.asked, "--by", "dana"])
    }

    func wait(for what: String, until condition: () throws -> Bool) throws {
        try place.wait(for: what, isPolled: true, until: condition)
    }

    /// The number of held tasks.
    func held() throws -> Int {
        let queues = try sluice(["queues", "--json"]).json["queues"]?.array ?? []
        let queue = queues.first { $0["name"]?.string == system.queue }
        return Int(queue?["counts"]?["held"]?.integer ?? -1)
    }

    /// Ends the workers in order.
    func end() throws {
        for worker in workers { try worker.child.signalGroup(.kill) }
        for worker in workers { try worker.answer() }
    }
}

extension Trial {
    /// Kills the processes that hold queues, wherever they are.
    func killKeepers() throws {
        let keepers = place.processes().filter { number in
            let words = (try? Files.read("/proc/\(number)/cmdline", limitBytes: 1 << 16)) ?? []
            return words.split(separator: 0).contains { $0.elementsEqual("__keep".utf8) }
        }
        place.kill(keepers)
    }
}
