/// A deterministic automaton of an expression, built lazily while it reads a text. It computes the
/// successors of a state set once per letter and caches them. A large expression then reads a long
/// text in time linear in the text, not in the product of both.
struct RegexAutomaton {
    /// How many states all kept sets hold together, before all are forgotten.
    private static let keptLimit = 1 << 20
    private static let match = -1

    private let run: RegexRun
    /// The states that must be entered at a place, for each number of a set.
    private var sets: [[Int]] = [[]]
    private var numbers: [[Int]: Int] = [[]: 0]
    private var kept = 0
    private var moves: [Move: Int] = [:]
    private var reached: RegexRun.Reached
    private var tries = 0

    /// A set, what holds at a place, and the letter there; nil at the end of the text.
    private struct Move: Hashable {
        let set: Int
        let context: RegexRun.Context
        let letter: UInt32?
    }

    init(_ run: RegexRun) {
        self.run = run
        reached = RegexRun.Reached(count: run.program.count)
    }

    mutating func isMatch() -> Bool {
        var set = 0
        for place in 0...run.text.count {
            let letter = place < run.text.count ? run.letter(at: place) : nil
            let move = Move(set: set, context: run.context(at: place), letter: letter)
            let next: Int
            if let known = moves[move] {
                next = known
            } else {
                next = target(of: move)
            }
            if next == Self.match { return true }
            set = next
        }
        return false
    }

    private mutating func target(of move: Move) -> Int {
        tries += 1
        reached.states.removeAll(keepingCapacity: true)
        var states: [Int] = []
        for state in [0] + sets[move.set] {
            if run.add(state, move.context, mark: tries, to: &reached) {
                moves[move] = Self.match
                return Self.match
            }
        }
        if let letter = move.letter {
            for state in reached.states {
                guard case .one(let set) = run.program[state], set.contains(letter) else {
                    continue
                }
                states.append(state + 1)
            }
        }
        states.sort()
        if let number = numbers[states] {
            moves[move] = number
            return number
        }
        if kept + states.count > Self.keptLimit {
            (sets, numbers, moves, kept) = ([[]], [[]: 0], [:], 0)
            return keep(states)
        }
        let number = keep(states)
        moves[move] = number
        return number
    }

    private mutating func keep(_ states: [Int]) -> Int {
        if states.isEmpty { return 0 }
        sets.append(states)
        numbers[states] = sets.count - 1
        kept += states.count
        return sets.count - 1
    }
}
