import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTapes

/// The outcomes on a tape (G4). All handlers of a file with the same tape share it, and it is safe
/// to use from any thread.
final class TapeScript: Sendable {
    /// The end of an execution, and how long it took.
    struct Line: Equatable {
        var outcome: HandlerOutcome
        var milliseconds: Int64
    }

    private struct Key: Hashable {
        var task: TaskID
        var number: Int
    }

    private struct State {
        var given: Set<Int> = []
        /// The next index in each type's list.
        var places: [String: Int] = [:]
    }

    private let name: String
    private let remark: String?
    private let entries: [TapeOutcomes.Entry]
    private let byTask: [Key: Int]
    private let byType: [String: [Int]]
    private let state = Protected(State())

    /// Reads the tape at a path, which people know by `name`.
    init(_ path: String, name: String) throws {
        let file = try TapeFile(path)
        self.name = name
        remark = file.remark
        let entries = try TapeOutcomes(file).entries
        self.entries = entries
        byTask = Dictionary(
            entries.indices.map { (Key(task: entries[$0].task, number: entries[$0].number), $0) },
            uniquingKeysWith: { first, _ in first })
        byType = Dictionary(grouping: entries.indices) { entries[$0].type }
    }

    /// The outcome of the same attempt on the tape; else the next unused outcome of its type; else
    /// a park with an explanation.
    func line(for execution: Execution) -> Line {
        let (task, number) = (execution.task, execution.number)
        let place = state.withLock { state -> Int? in
            if let same = byTask[Key(task: task.id, number: number)],
                entries[same].type == task.type
            {
                state.given.insert(same)
                return same
            }
            let list = byType[task.type] ?? []
            var next = state.places[task.type] ?? 0
            while next < list.count, state.given.contains(list[next]) { next += 1 }
            state.places[task.type] = next
            guard next < list.count else { return nil }
            state.given.insert(list[next])
            return list[next]
        }
        if let place {
            return Line(outcome: entries[place].outcome, milliseconds: entries[place].milliseconds)
        }
        let cut = remark.map { "; \($0)" } ?? ""
        let error =
            "\(name) knows no attempt \(number) of #\(task.id), and no other execution of "
            + "\(task.type) that is left\(cut)"
        return Line(outcome: .park(error: error), milliseconds: 0)
    }
}

/// The tapes that one handlers file names, each read once.
final class TapeCache {
    private var scripts: [String: TapeScript] = [:]

    /// The script for a tape. Throws `badHandlers` with the location in the handlers file.
    func script(_ path: String, at place: HandlerPlace) throws(QueueError) -> TapeScript {
        if let known = scripts[path] { return known }
        do {
            let script = try TapeScript(path, name: String(path.split(separator: "/").last ?? ""))
            scripts[path] = script
            return script
        } catch let error as QueueError {
            throw place.error("\(place.subject): \(error.message)", fix: error.fix)
        } catch {
            throw place.error("\(place.subject): \(error)", fix: "name a tape that can be read")
        }
    }
}
