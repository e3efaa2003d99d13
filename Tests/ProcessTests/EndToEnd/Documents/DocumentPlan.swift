/// The treatment of each block in the documents, from Tests/Documents/plan.txt.
struct DocumentPlan {
    /// The blocks under one heading that run in one folder, in order.
    struct Session {
        var file: String
        var heading: String
        var numbers: Set<Int>
        /// Shell lines that run before the first block.
        var before: [String] = []
        /// Shell lines to run after a command, by the command's beginning.
        var behind: [(command: String, line: String)] = []
    }

    private(set) var sessions: [Session] = []
    /// The reason for each block that is not run, or the test that runs it elsewhere.
    private(set) var others: [DocumentBlock.Place: String] = [:]
    private(set) var faults: [String] = []

    /// Reads a plan. A line without a blank at its beginning names blocks, as
    /// `FILE > HEADING > NUMBERS: run` or `…: REASON`; lines below a session have two blanks.
    init(_ text: String) {
        for line in text.split(separator: "\n").map(String.init) where !line.hasPrefix("#") {
            line.hasPrefix("  ") ? addDetail(line.dropFirst(2)) : addPlace(line)
        }
    }

    private mutating func addPlace(_ line: String) {
        let parts = line.split(separator: " > ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let colon = parts[2].firstRange(of: ": ") else {
            return faults.append("not a place: \(line)")
        }
        let numbers = parts[2][..<colon.lowerBound].split(separator: " ").compactMap { Int($0) }
        let what = String(parts[2][colon.upperBound...])
        guard !numbers.isEmpty, !what.isEmpty else { return faults.append("no number: \(line)") }
        if what == "run" {
            sessions.append(
                Session(file: parts[0], heading: parts[1], numbers: Set(numbers)))
        } else {
            for number in numbers {
                let place = DocumentBlock.Place(
                    file: parts[0], heading: parts[1], number: number)
                if others.updateValue(what, forKey: place) != nil {
                    faults.append("twice: \(place)")
                }
            }
        }
    }

    private mutating func addDetail(_ line: Substring) {
        guard !sessions.isEmpty else { return faults.append("below no session: \(line)") }
        let last = sessions.count - 1
        if line.hasPrefix("before: ") {
            sessions[last].before.append(String(line.dropFirst("before: ".count)))
        } else if line.hasPrefix("behind "), let arrow = line.firstRange(of: " => ") {
            let command = line[line.index(line.startIndex, offsetBy: 7)..<arrow.lowerBound]
            sessions[last].behind.append((String(command), String(line[arrow.upperBound...])))
        } else {
            faults.append("not a detail: \(line)")
        }
    }

    var run: [DocumentBlock.Place] {
        sessions.flatMap { session in
            session.numbers.sorted().map {
                DocumentBlock.Place(file: session.file, heading: session.heading, number: $0)
            }
        }
    }
}
