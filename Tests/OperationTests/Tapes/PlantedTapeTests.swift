import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceTapes

/// A rule of tapes broken on purpose: what a faulty recorder would have written (G6).
enum PlantedTape: String, CaseIterable, Sendable {
    /// A change of a task is missing.
    case changeLost
    case commitLost
    /// Swaps two commits.
    case commitsSwapped
    /// A commit has the moment of the one before.
    case momentLost
    /// Reorders or drops the result of a claim.
    case claimWrong
    /// A task waits longer than the rules let it.
    case timerWrong

    /// The faulty recorder's output for these commits; `nil` if they offer no opportunity.
    func spoiled(_ commits: [JSONValue]) -> [JSONValue]? {
        var commits = commits
        for place in commits.indices.dropFirst() {
            guard case .object(var commit) = commits[place],
                let changes = commit["changes"]?.array
            else { continue }
            let task = changes.firstIndex { $0["task"] != nil }
            switch self {
            case .changeLost:
                guard let task, commit["decisions"] == nil else { continue }
                var rest = changes
                rest.remove(at: task)
                commit["changes"] = .array(rest)
                commits[place] = .object(commit)
            case .commitLost:
                guard task != nil else { continue }
                commits.remove(at: place)
            case .commitsSwapped:
                guard task != nil, commits[place - 1]["changes"]?.array?.isEmpty == false
                else { continue }
                commits.swapAt(place, place - 1)
            case .momentLost:
                guard commit["decisions"] != nil, commit["at"] != commits[place - 1]["at"]
                else { continue }
                commit["at"] = commits[place - 1]["at"]
                commits[place] = .object(commit)
            case .claimWrong, .timerWrong:
                let (one, other) =
                    self == .claimWrong ? ("\"gave\":[", "\"gave\":[77,") : Self.timer
                let text = commits[place].text
                guard commit["decisions"] != nil, text.contains(one),
                    let changed = try? JSONValue.parse(
                        Array(text.replacing(one, with: other, maxReplacements: 1).utf8))
                else { continue }
                commits[place] = changed
            }
            return commits
        }
        return nil
    }

    private static let timer = ("\"until\":18", "\"until\":19")
}

@Suite("tapes of a faulty recorder")
struct PlantedTapeTests {
    @Test(
        "G6 a tape that was written wrongly is found to differ from what was, or from the rules",
        arguments: PlantedTape.allCases)
    func found(_ mistake: PlantedTape) throws {
        for seed in 0..<64 {
            let bench = try Bench(.memory)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<15 { try operation.next() }
            let path = "\(bench.folder)/t.tape"
            let recorder = try TapeRecorder(
                bench.store, TapeRecorder.Request(path: path), person: "dana", now: { bench.now })
            try recorder.writeBeginning()
            for _ in 0..<50 { try operation.next() }
            let last = try TapeTests.told(bench.store)
            _ = try recorder.end(nil)
            guard try spoil(path, mistake) else { continue }
            guard let wrong = try Self.difference(path, last) else { continue }
            print("planted \(mistake.rawValue): seed \(seed), \(wrong.prefix(120))")
            return
        }
        Issue.record("\(mistake.rawValue) was not found in 64 seeds")
    }

    /// Writes the tape anew with a mistake; whether there was an occasion for it.
    private func spoil(_ path: String, _ mistake: PlantedTape) throws -> Bool {
        let lines = try TapeLines.withoutSums(path)
        let isEvent = { (line: String) in line.hasPrefix("{\"event\":") }
        let commits = try lines.filter(isEvent).map { try JSONValue.parse(Array($0.utf8)) }
        guard let spoiled = mistake.spoiled(commits) else { return false }
        let numbered = spoiled.enumerated().map { place, commit -> String in
            guard case .object(var object) = commit else { return "" }
            object["event"] = .integer(Int64(place + 1))
            return JSONValue.object(object).text
        }
        var bytes: [UInt8] = []
        for line in lines.prefix(while: { !isEvent($0) }) + numbered + lines.suffix(1) {
            TapeSum.seal(line, into: &bytes)
        }
        try Files.writeAtomically(bytes, to: path)
        return true
    }

    /// The evidence of a false tape: it does not open, its end differs from the store, or the rules
    /// decide differently.
    private static func difference(_ path: String, _ last: Dump) throws -> String? {
        do {
            let tape = try TapeFile(path)
            let shown = try TapeTests.told(TapePlayer(tape).view(at: tape.count).store)
            if let wrong = last.differences(from: shown).first { return wrong }
            var replay = TapeReplay(tape)
            return try replay.run(stopsAtFirst: true).first.map { "\($0)" }
        } catch let error as QueueError { return error.message }
    }
}

/// The lines of a tape's file.
enum TapeLines {
    /// The lines without checksums, as earlier versions wrote them.
    static func withoutSums(_ path: String) throws -> [String] {
        try text(path).split(separator: "\n").map { TapeSum.opened(String($0)) }
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 24), as: UTF8.self)
    }
}
