/// The command-line options of the benchmark.
struct BenchOptions: Equatable {
    /// The number of repetitions of each measurement.
    var repetitions = 3
    /// The divisor of each amount of work.
    var divisor = 1
    /// The rows to measure; empty means all except rows that run only on request.
    var rows: Set<String> = []
    /// Whether a work waits for a quiet moment, and is measured again where others took too much.
    var isSteady = false
    var jsonPath: String?
    /// An earlier run's JSON for comparison.
    var comparedPath: String?
    /// The program `sluice`; `nil` uses the one next to this program.
    var program: String?
    /// The C programs; `nil` uses those next to this program.
    var rawPrograms: String?
    /// The interpreter of the peers' scripts.
    var python = "python3"
    /// The folder of the peers' scripts.
    var peers = "Sources/Bench/SluiceBenchmark/Peers"

    static let usage = """
        usage: sluice-bench [--quick] [--repetitions N] [--only W1,C2] [--instructions]
                            [--steadily] [--json FILE] [--compare FILE] [--python FILE]
                            [--peers FOLDER] [--program FILE] [--raw-programs FILE]

        Measures beside a raw loop in C on SQLite, and prints each figure with its goal.
        Rows: W1 W2 W3 W4 W5 W6 W7 W8 W9 W10 tasks, F what a program in C needs for W1, W3 and W4,
        C1 C2 C3 C4 the console, D the debugger, L what looking costs, X whole programs, P other
        task queues, PG a store at PostgreSQL, I instructions (--instructions measures these alone;
        needs valgrind).

        The last column says how much of the processor time that was wanted went to others who
        share the machine beneath this one. --steadily waits for a moment in which little does (two
        minutes at most), measures again where it was more than a tenth (twice at most), and tells
        the figures of the time in which it was least.

        P measures what the interpreter of --python finds, and says what is missing:
          python3 -m venv V && V/bin/pip install huey litequeue persist-queue rq
          V/bin/pip install procrastinate pgqueuer asyncpg
          apt-get install redis-server postgresql
        Then --python V/bin/python. Nothing is installed or fetched by itself.
        """

    struct Wrong: Error, CustomStringConvertible {
        var description: String
    }

    init(_ words: [String]) throws {
        var rest = words[...]
        func value(_ option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw Wrong(description: "\(option) needs a value\n\(Self.usage)")
            }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--quick": (repetitions, divisor) = (1, 20)
            case "--repetitions":
                guard let number = Int(try value(word)), number > 0 else {
                    throw Wrong(description: "--repetitions needs a number from 1 on")
                }
                repetitions = number
            case "--only": rows = Set(try value(word).split(separator: ",").map(String.init))
            case "--instructions": rows = ["I"]
            case "--steadily": isSteady = true
            case "--json": jsonPath = try value(word)
            case "--compare": comparedPath = try value(word)
            case "--program": program = try value(word)
            case "--raw-programs": rawPrograms = try value(word)
            case "--python": python = try value(word)
            case "--peers": peers = try value(word)
            default: throw Wrong(description: "\(word) is not known\n\(Self.usage)")
            }
        }
    }

    /// Whether to measure a row. Row `I` takes long and runs only on request.
    func wants(_ row: String) -> Bool { rows.isEmpty ? row != "I" : rows.contains(row) }
}
