import SluiceModel
import SluiceSystem
import SluiceTestSupport

extension ManyTrial {
    /// The time until the handlers of a cut-off worker stop: 20 s without an answer, 5 s from TERM
    /// to KILL, and a margin for a busy machine (A2).
    private static let stopNanoseconds: Int64 = 28_000_000_000
    /// A console at rest asks after 10 s of silence, and its watch and then its reader wait for 8 s
    /// each; and some for a busy machine (K8).
    private static let noticeSeconds = 30.0

    /// Two workers and a console are cut off, one worker in one direction only.
    func cut() throws {
        verdicts.chapter("The cables of ada and the desk are pulled; ben's answers are lost")
        let held = try hold()
        let console = try site.console()
        let terminal = try TerminalSession(
            console.words[0], Array(console.words.dropFirst()), environment: console.environment,
            directory: "/", columns: 110, rows: 30)
        try terminal.wait("the queues", timeoutSeconds: 20) { $0.position(of: "hold") != nil }
        _ = try enqueue("line", #"{"ms":200}"#, count: 60)
        let cutAt = Int64(SystemClock.monotonicNanoseconds())
        for name in ["ada", Site.desk] { try site.machine(name).unplug() }
        site.links["ben"]?.loseAnswers()
        let said = try watch(terminal, until: held, since: cutAt)
        judgeCut(held, at: cutAt)
        let isSoon = said.map { $0.seconds < Self.noticeSeconds } ?? false
        verdicts.note(
            isSoon,
            said.map { "the console said: \($0.row) (\($0.seconds) s after the cut)" }
                ?? "the console said nothing of it")
        for name in ["ada", Site.desk] { try site.machine(name).plug() }
        site.links["ben"]?.heal()
        try comeBack(terminal)
        try site.dismiss("cleo")
        try site.recruit("cleo")
        judgeOrder()
        try judgeStore()
    }

    /// Long tasks on ada and ben, one on each ignoring TERM. Only cleo can take them over.
    private func hold() throws -> [Int64] {
        var ids: [Int64] = []
        for name in ["ada", "ben"] {
            ids += try enqueue(
                "hold", type: "hold-\(name)",
                payloads: [
                    #"{"first":90000,"ms":100}"#, #"{"first":90000,"ms":100}"#,
                    #"{"first":90000,"ms":100,"deaf":1}"#,
                ])
        }
        let begun = try site.wait(seconds: 30) {
            let told = site.judge
            return ids.allSatisfy { !told.lives(of: $0).isEmpty }
        }
        guard begun else { throw ManyFailure("the long tasks do not begin") }
        try site.dismiss("cleo")
        try site.recruit("cleo", all: true)
        _ = try site.wait(seconds: 30) { try attached == 3 }
        // Heartbeats due in that time have been sent.
        Site.rest(milliseconds: 2000)
        return ids
    }

    /// Waits until cleo has begun all of them. Returns the console's messages.
    private func watch(
        _ terminal: TerminalSession, until held: [Int64], since cutAt: Int64
    ) throws -> (row: String, seconds: Double)? {
        var said: (row: String, seconds: Double)?
        let isOver = try site.wait(seconds: 100) {
            let screen = try terminal.screen
            if said == nil, let row = screen.lineTexts.first(where: Self.isComplaint) {
                let seconds = Judge.seconds(Int64(SystemClock.monotonicNanoseconds()) - cutAt)
                said = (String(row.drop { $0 == " " }), seconds)
            }
            let told = site.judge
            return said != nil
                && held.allSatisfy { told.lives(of: $0).last?.machine == "cleo" }
        }
        let told = site.judge
        let taken = held.count { told.lives(of: $0).last?.machine == "cleo" }
        verdicts.note(taken == held.count, "cleo took over \(taken) of \(held.count) long tasks")
        if !isOver { for row in try terminal.screen.lineTexts.suffix(4) { verdicts.say(row) } }
        let before = try terminal.screen
        try terminal.key(.char("?"))
        let answers = try site.wait(seconds: 3) { try terminal.screen != before }
        verdicts.note(answers, "the console still answers keys while it is cut off")
        for row in try terminal.screen.lineTexts where Self.isComplaint(row) { verdicts.say(row) }
        try terminal.key(.escape)
        return said
    }

    private static func isComplaint(_ row: String) -> Bool {
        ["server", "answer", "connection", "away"].contains { row.contains($0) }
    }

    private func judgeCut(_ held: [Int64], at cutAt: Int64) {
        let told = site.judge
        for name in ["ada", "ben"] {
            let lives = told.lives(on: name).filter { held.contains($0.task) }
            let last = (lives.map(\.last).max() ?? .max) - cutAt
            verdicts.note(
                lives.count == 3 && last <= Self.stopNanoseconds,
                "the last sign of a handler on \(name): \(Judge.seconds(last)) s after the cut")
        }
        let takers = held.compactMap { told.lives(of: $0).last }.map(\.begin)
        let first = (takers.min() ?? 0) - cutAt
        verdicts.say(
            "the first of their tasks began on cleo \(Judge.seconds(first)) s after the cut")
        let shortest = Judge.shortestMove(told.lives.filter { held.contains($0.task) })
        verdicts.note(
            (shortest ?? 0) > 0,
            "between the two executions of a task were at least \(Judge.seconds(shortest ?? 0)) s")
    }

    /// All is well again: the workers take tasks, and the console shows them, by themselves.
    private func comeBack(_ terminal: TerminalSession) throws {
        let healedAt = SystemClock.monotonicNanoseconds()
        let isBack = try site.wait(seconds: 30) {
            try !terminal.screen.lineTexts.contains(where: Self.isComplaint)
        }
        let seconds = Judge.seconds(Int64(SystemClock.monotonicNanoseconds().since(healedAt)))
        verdicts.note(isBack, "the console is back by itself \(seconds) s after the cable")
        let before = Int64(healedAt)
        let isShared = try site.wait(seconds: 60) {
            _ = try enqueue("wide", #"{"ms":500}"#, count: 150)
            Site.rest(milliseconds: 1500)
            let machines = site.judge.lives.filter { $0.begin > before }.map(\.machine)
            return Set(machines).count == 3
        }
        verdicts.note(isShared, "ada and ben take tasks again")
        try terminal.key(.char("q"))
        _ = try? terminal.waitForExit(timeoutSeconds: 5)
    }
}
