import SluiceTestSupport

/// The handlers' logs of all machines, merged by the kernel's monotonic clock, and their
/// conclusions. It never queries the store.
struct Judge {
    /// One execution, from its first word to its last.
    struct Life: Equatable {
        var machine: String
        var task: Int64
        var process: Int32
        /// When it began and gave its last sign of life, in nanoseconds.
        var begin: Int64
        var last: Int64
        /// `end`, `fail`, or `nil` for a stopped attempt.
        var ending: String?
    }

    /// All lines, in order.
    let testimony: Testimony
    /// All attempts, in order of their beginning.
    let lives: [Life]

    /// Reads the files of machines, by their names.
    init(_ files: [String: String]) {
        var all: [(machine: String, line: Testimony.Line)] = []
        for (machine, text) in files {
            all += Testimony(text).lines.map { (machine, $0) }
        }
        all.sort { $0.line.nanoseconds < $1.line.nanoseconds }
        var lives: [Life] = []
        var places: [String: Int] = [:]
        for (machine, line) in all {
            let key = "\(machine) \(line.process) \(line.task) \(line.execution)"
            if line.word == "start" {
                places[key] = lives.count
                lives.append(
                    Life(
                        machine: machine, task: line.task, process: line.process,
                        begin: line.nanoseconds, last: line.nanoseconds))
            } else if let place = places[key] {
                lives[place].last = line.nanoseconds
                if line.word != "beat" { lives[place].ending = line.word }
            }
        }
        self.lives = lives
        testimony = Testimony(
            all.map { _, line in
                "\(line.word) \(line.task) \(line.execution) \(line.process) \(line.nanoseconds)"
            }.joined(separator: "\n"))
    }

    func lives(of task: Int64) -> [Life] { lives.filter { $0.task == task } }

    func lives(on machine: String) -> [Life] { lives.filter { $0.machine == machine } }

    /// Executions that began while another one of the same task gave signs of life, one sentence
    /// each.
    var overlaps: [String] {
        var latest: [Int64: Life] = [:]
        var found: [String] = []
        for life in lives {
            if let before = latest[life.task], before.last >= life.begin {
                found.append(
                    "#\(life.task) began on \(life.machine) "
                        + "\(Self.seconds(before.last - life.begin)) s before its end on "
                        + before.machine)
            }
            if latest[life.task].map({ $0.last < life.last }) ?? true { latest[life.task] = life }
        }
        return found
    }

    /// The shortest time between an attempt's last heartbeat and the task's next attempt on another
    /// machine, in nanoseconds. `nil` if no task moved.
    var shortestMove: Int64? { Self.shortestMove(lives) }

    /// The same of some executions alone.
    static func shortestMove(_ lives: [Life]) -> Int64? {
        var latest: [Int64: Life] = [:]
        var shortest: Int64?
        for life in lives {
            if let before = latest[life.task], before.machine != life.machine {
                shortest = min(shortest ?? .max, life.begin - before.last)
            }
            latest[life.task] = life
        }
        return shortest
    }

    /// Nanoseconds as seconds with one place.
    static func seconds(_ nanoseconds: Int64) -> Double {
        (Double(nanoseconds) / 1e8).rounded() / 10
    }
}
