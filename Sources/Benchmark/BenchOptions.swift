/// What the benchmark is asked for on its command line.
struct BenchOptions: Equatable {
    /// How often each measurement is repeated.
    var repetitions = 3
    /// By how much each amount of work is made smaller.
    var divisor = 1
    /// The rows that are wanted; empty for all.
    var rows: Set<String> = []
    /// Where the figures go as JSON.
    var jsonPath: String?
    /// An earlier run's JSON, to stand beside this one.
    var comparedPath: String?

    static let usage = """
        usage: sluice-bench [--quick] [--repetitions N] [--only W1,W3] [--json FILE]
                            [--compare FILE]
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
            case "--json": jsonPath = try value(word)
            case "--compare": comparedPath = try value(word)
            default: throw Wrong(description: "\(word) is not known\n\(Self.usage)")
            }
        }
    }

    func wants(_ row: String) -> Bool { rows.isEmpty || rows.contains(row) }
}
