import Platform
import QueueModel
import QueueStoreSQLite

import func Glibc.exit

/// Measures Sluice beside a raw loop in C, and prints each figure with its goal.
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

    /// What the benchmark starts of itself as another process.
    private static func serves(_ words: [String]) throws -> Bool {
        switch words.first {
        case "__worker" where words.count >= 3:
            try Worker.drain(
                words[1], slots: Int(words[2]) ?? 1,
                limit: words.count > 3 ? Int(words[3]) ?? .max : .max)
        case "__raw" where words.count == 3: try Worker.drainRaw(words[1], tables: words[2])
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
            try work.init(bench: bench).measure { figure in
                guard options.wants(figure.id) else { return }
                try Standard.write(report.add(figure) + "\n")
            }
        }
        try Standard.write(report.summary + "\n")
        if let path = options.jsonPath {
            try Files.writeAtomically(Array(report.json.text(indent: 2).utf8), to: path)
        }
    }
}
