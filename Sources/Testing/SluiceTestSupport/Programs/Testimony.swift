/// The witnesses' log and its conclusions. The judge uses nothing else.
package struct Testimony: Sendable {
    package struct Line: Hashable, Sendable {
        /// `start`, `ready`, `end`, `fail`, `overlap`; others are an operator's.
        package var word: String
        package var task: Int64
        package var execution: Int
        package var process: Int32
        /// When, on the wall clock.
        package var nanoseconds: Int64
    }

    /// The lines in the order of writing.
    package let lines: [Line]

    private init(lines: [Line]) { self.lines = lines }

    /// Reads a file's text; a line that was cut off by a kill is no line.
    package init(_ text: String) {
        lines = text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 5, let task = Int64(parts[1]), let number = Int(parts[2]),
                let process = Int32(parts[3]), let time = Int64(parts[4])
            else { return nil }
            return Line(
                word: String(parts[0]), task: task, execution: number, process: process,
                nanoseconds: time)
        }
    }

    /// The number of lines with this word.
    package func count(_ word: String) -> Int { lines.count { $0.word == word } }

    /// Which tasks said a word how often.
    package func tally(_ word: String) -> [Int64: Int] {
        lines.reduce(into: [:]) { if $1.word == word { $0[$1.task, default: 0] += 1 } }
    }

    /// Attempts that overlapped an earlier one of the same task, by its lock or by a late end. A
    /// killed attempt has no end, so only its lock counts.
    package var overlaps: [String] {
        var found = lines.filter { $0.word == "overlap" }.map { "#\($0.task) held its lock" }
        var last: [Int64: Int32] = [:]
        for line in lines {
            switch line.word {
            case "start": last[line.task] = line.process
            case "end", "fail":
                if last[line.task] != line.process { found.append("#\(line.task) went on") }
            default: break
            }
        }
        return found
    }

    /// The maximum number of concurrent attempts. Valid only if no attempt was killed.
    package var crowd: Int {
        var (now, most) = (0, 0)
        for line in lines {
            switch line.word {
            case "start": now += 1
            case "end", "fail": now -= 1
            default: break
            }
            most = max(most, now)
        }
        return most
    }

    /// The tasks that an operator ever skipped: no order applies to them.
    package var skipped: Set<Int64> { Set(lines.filter { $0.word == "skip" }.map(\.task)) }

    package func of(_ tasks: [Int64]) -> Testimony {
        let wanted = Set(tasks)
        return Testimony(lines: lines.filter { wanted.contains($0.task) })
    }

    /// Violations of strict order: a task began before an earlier one succeeded, or after a later
    /// one began.
    package func strictBreaches(of order: [Int64]) -> [String] {
        breaches(of: order, cleared: "end", allowed: 0) + returns(in: order)
    }

    private func returns(in order: [Int64]) -> [String] {
        let excused = skipped
        let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
        var highest = -1
        var found: [String] = []
        for line in lines where line.word == "start" && !excused.contains(line.task) {
            guard let place = places[line.task] else { continue }
            if place < highest { found.append("#\(line.task) began after a later one") }
            highest = max(highest, place)
        }
        return found
    }

    /// Violations of order: a task began while too many earlier ones had not, so they cannot all
    /// have held a slot.
    package func breaches(of order: [Int64], concurrency: Int) -> [String] {
        breaches(of: order, cleared: "start", allowed: concurrency - 1)
    }

    private func breaches(of order: [Int64], cleared: String, allowed: Int) -> [String] {
        let excused = skipped
        let judged = order.filter { !excused.contains($0) }
        let places = Dictionary(uniqueKeysWithValues: zip(judged, judged.indices))
        var isCleared = [Bool](repeating: false, count: judged.count)
        var firstOpen = 0
        var found: [String] = []
        for line in lines {
            guard let place = places[line.task] else { continue }
            if line.word == "start", firstOpen < place {
                let before = isCleared[firstOpen..<place].count { !$0 }
                if before > allowed {
                    found.append("#\(line.task) began before #\(judged[firstOpen])")
                }
            }
            if line.word == cleared { isCleared[place] = true }
            while firstOpen < judged.count, isCleared[firstOpen] { firstOpen += 1 }
        }
        return found
    }
}
