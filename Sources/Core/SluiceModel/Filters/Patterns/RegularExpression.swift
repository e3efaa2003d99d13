/// A regular expression with linear-time matching. It follows all paths together and never
/// backtracks.
package struct RegularExpression: Hashable, Sendable {
    /// The maximum number of states.
    package static let stateLimit = 10_000
    /// How many states times letters are followed one by one; an automaton is built for more.
    private static let followedLimit = 1 << 20

    /// The source text.
    package let pattern: String
    package let ignoresCase: Bool
    private let program: [RegexStep]

    /// Parses `. [] () | * + ? {m,n} ^ $ \d \w \s \b` and backslash escapes. Throws the error and
    /// its place, in characters from 0. Rejects back references, lookarounds, and expressions with
    /// too many states.
    package init(_ pattern: String, ignoresCase: Bool = false) throws(RegexError) {
        self.pattern = pattern
        self.ignoresCase = ignoresCase
        var parser = RegexParser(pattern)
        var program = RegexProgram(ignoresCase: ignoresCase)
        try program.emit(try parser.expression())
        try program.add(.match)
        self.program = program.steps
    }

    /// Compares the source text and the case setting.
    package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.pattern == right.pattern && left.ignoresCase == right.ignoresCase
    }

    /// Hashes the source text and the case setting.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(pattern)
        hasher.combine(ignoresCase)
    }

    package func matches(_ text: String) -> Bool {
        let run = RegexRun(program, text.unicodeScalars.map(\.value), ignoresCase: ignoresCase)
        guard program.count * run.text.count > Self.followedLimit else { return run.isMatch() }
        var automaton = RegexAutomaton(run)
        return automaton.isMatch()
    }

    /// Whether it matches somewhere in UTF-8 bytes.
    package func matches(_ bytes: [UInt8]) -> Bool {
        matches(String(decoding: bytes, as: UTF8.self))
    }
}

/// An error in a regular expression.
package struct RegexError: Error, Hashable, Sendable {
    /// The character, from 0.
    package let place: Int
    package let message: String
}

enum RegexStep: Hashable, Sendable {
    case one(ScalarSet)
    case split(Int, Int)
    case jump(Int)
    case assert(RegexAssertion)
    case match
}

/// A condition between two characters.
enum RegexAssertion: Hashable, Sendable {
    case start, end, wordEdge, noWordEdge
}

/// The syntax tree of an expression.
indirect enum RegexNode {
    case empty
    case one(ScalarSet)
    case assert(RegexAssertion)
    case sequence([RegexNode])
    case choice([RegexNode])
    case repeated(RegexNode, least: Int, most: Int?)
}

/// The states of an expression.
private struct RegexProgram {
    let ignoresCase: Bool
    private(set) var steps: [RegexStep] = []

    init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    mutating func add(_ step: RegexStep) throws(RegexError) {
        guard steps.count < RegularExpression.stateLimit else {
            throw RegexError(
                place: 0, message: "it has more than \(RegularExpression.stateLimit) states")
        }
        steps.append(step)
    }

    mutating func emit(_ node: RegexNode) throws(RegexError) {
        switch node {
        case .empty: break
        case .one(let set): try add(.one(ignoresCase ? set.ignoringCase : set))
        case .assert(let assertion): try add(.assert(assertion))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let parts): try emit(choice: parts)
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try emit(part) }
            if let most {
                var splits: [Int] = []
                for _ in least..<max(least, most) {
                    splits.append(steps.count)
                    try add(.jump(0))
                    try emit(part)
                }
                for split in splits { steps[split] = .split(split + 1, steps.count) }
            } else {
                let split = steps.count
                try add(.jump(0))
                try emit(part)
                try add(.jump(split))
                steps[split] = .split(split + 1, steps.count)
            }
        }
    }

    private mutating func emit(choice parts: [RegexNode]) throws(RegexError) {
        var ends: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index < parts.count - 1 else {
                try emit(part)
                continue
            }
            let split = steps.count
            try add(.jump(0))
            try emit(part)
            ends.append(steps.count)
            try add(.jump(0))
            steps[split] = .split(split + 1, steps.count)
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }
}

/// A match of an expression along a text, on all paths together.
struct RegexRun {
    let program: [RegexStep]
    let text: [UInt32]
    private let ignoresCase: Bool

    /// The states reached at a place of the text.
    struct Reached {
        var states: [Int] = []
        /// The mark of each state's last insertion.
        fileprivate var seen: [Int]
        fileprivate var todo: [Int] = []

        init(count: Int) { seen = Array(repeating: -1, count: count) }
    }

    /// The facts about a place that assertions use.
    struct Context: Hashable {
        let isStart: Bool
        let isEnd: Bool
        let isWordEdge: Bool
    }

    init(_ program: [RegexStep], _ text: [UInt32], ignoresCase: Bool) {
        (self.program, self.text, self.ignoresCase) = (program, text, ignoresCase)
    }

    func letter(at place: Int) -> UInt32 {
        ignoresCase ? ScalarSet.small(text[place]) : text[place]
    }

    func isMatch() -> Bool {
        var reached = Reached(count: program.count)
        var current: [Int] = []
        for place in 0...text.count {
            let context = context(at: place)
            if add(0, context, mark: place, to: &reached) { return true }
            for state in current where add(state, context, mark: place, to: &reached) {
                return true
            }
            guard place < text.count else { return false }
            let letter = letter(at: place)
            current.removeAll(keepingCapacity: true)
            for state in reached.states {
                guard case .one(let set) = program[state], set.contains(letter) else { continue }
                current.append(state + 1)
            }
            reached.states.removeAll(keepingCapacity: true)
        }
        return false
    }

    /// Adds a state and its successors without input; returns true at the final state. Adds a state
    /// once per mark.
    func add(_ state: Int, _ context: Context, mark: Int, to reached: inout Reached) -> Bool {
        reached.todo.append(state)
        while let state = reached.todo.popLast() {
            guard reached.seen[state] != mark else { continue }
            reached.seen[state] = mark
            switch program[state] {
            case .match:
                reached.todo.removeAll(keepingCapacity: true)
                return true
            case .one: reached.states.append(state)
            case .jump(let target): reached.todo.append(target)
            case .split(let first, let second):
                reached.todo.append(second)
                reached.todo.append(first)
            case .assert(let assertion):
                if holds(assertion, context) { reached.todo.append(state + 1) }
            }
        }
        return false
    }

    private func holds(_ assertion: RegexAssertion, _ context: Context) -> Bool {
        switch assertion {
        case .start: context.isStart
        case .end: context.isEnd
        case .wordEdge: context.isWordEdge
        case .noWordEdge: !context.isWordEdge
        }
    }

    func context(at place: Int) -> Context {
        let before = place > 0 && ScalarSet.isWord(text[place - 1])
        let behind = place < text.count && ScalarSet.isWord(text[place])
        return Context(
            isStart: place == 0, isEnd: place == text.count, isWordEdge: before != behind)
    }
}
