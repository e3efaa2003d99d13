import SluiceModel
import SluiceSQL
import SluiceSystem

import func Glibc.exit

/// Measures Sluice against a raw loop in C, and prints each figure with its goal.
@main
enum BenchProgram {
    static func main() {
        SQLiteStore.ownsProgram()
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if words == ["--help"] {
                try Standard.write(BenchOptions.usage + "\n")
            } else if try !serves(words) {
                try measure(BenchOptions(words))
            }
        } catch {
            try? Standard.write("sluice-bench: \(error)\n", to: .errors)
            exit(1)
        }
    }

    /// Runs a subcommand that the benchmark starts as a child process.
    private static func serves(_ words: [String]) throws -> Bool {
        switch words.first {
        case "__worker" where words.count >= 3:
            let last = words.count > 3 ? words[3] : ""
            try Worker.drain(
                words[1], slots: Int(words[2]) ?? 1, limit: Int(last) ?? .max,
                isAsync: last == "async")
        case "__raw" where words.count >= 3:
            try Worker.drainRaw(
                words[1], tables: words[2], inFlight: words.count > 3 ? Int(words[3]) : nil)
        case "__waits" where words.count == 2: try Bystander.write(words[1])
        case "__starts" where words.count == 2: try MomentHandler.serve(words[1])
        case "__idle" where words.count <= 2: try IdleProgram.rest(words.dropFirst().first)
        case "__app" where words.count <= 2: try IdleProgram.app(words.dropFirst().first)
        case "__fixed" where words.count == 3: try FixedWork.run(words[1], words[2])
        case "day", "__day-worker", "__day-producer": try DayWork.serve(words)
        case let word? where word.hasPrefix("__pg-") && words.count == 2:
            try PostgresWork.serve(word, words[1])
        default: return false
        }
        return true
    }

    private static func measure(_ options: BenchOptions) throws {
        var report = try BenchReport(comparedWith: options.comparedPath)
        try Standard.write(BenchReport.heading + "\n")
        let bench = try Workbench(options)
        for work in Works.all where work.rows.contains(where: options.wants) {
            let work = work.init(bench: bench)
            let tell = { (figure: Figure) in
                guard options.wants(figure.id) else { return }
                try Standard.write(report.add(figure) + "\n")
            }
            if options.isSteady { try measureSteadily(work, tell) } else { try run(work, tell) }
        }
        try Standard.write(report.summary + "\n")
        if let path = options.jsonPath {
            try Files.writeAtomically(Array(report.json.text(indent: 2).utf8), to: path)
        }
        guard report.regressions.isEmpty else {
            let titles = report.regressions.joined(separator: "; ")
            throw Workbench.Untrue(description: "grew by more than 2 %, or not counted: \(titles)")
        }
    }

    /// Measures a work, records the stolen time of each figure, and returns the total.
    @discardableResult
    private static func run(_ work: any Work, _ tell: (Figure) throws -> Void) throws -> Double {
        let start = try StolenTime()
        var (former, share) = (start, 0.0)
        try work.measure { figure in
            let now = try StolenTime()
            if let stolen = now.share(since: former) { (former, share) = (now, stolen) }
            var figure = figure
            figure.stolen = share
            try tell(figure)
        }
        return try StolenTime().share(since: start) ?? 0
    }

    /// Measures in a quiet moment, up to three times while too much time is stolen. Reports the
    /// figures of the quietest attempt.
    private static func measureSteadily(
        _ work: any Work, _ tell: (Figure) throws -> Void
    ) throws {
        var least = Double.infinity
        var told: [Figure] = []
        for _ in 0..<3 where least > StolenTime.limit {
            try StolenTime.waitForQuiet()
            var figures: [Figure] = []
            let stolen = try run(work) { figures.append($0) }
            if stolen < least { (least, told) = (stolen, figures) }
        }
        for figure in told { try tell(figure) }
    }
}
