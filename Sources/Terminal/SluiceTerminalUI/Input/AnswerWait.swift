/// How long a program waits for late answers of its terminal before it returns the terminal. The
/// next program there, such as a shell, would read a later answer as typed keys.
///
/// All moments are in milliseconds of one clock.
package struct AnswerWait: Hashable, Sendable {
    private let end: Int64
    private let restEnd: Int64

    /// The time for the first byte of an answer.
    private static let answer: Int64 = 100
    /// The time for the first answer of a slow link, from the question on.
    private static let slowAnswer: Int64 = 1_000
    /// The time for the end of an answer that has begun.
    private static let rest: Int64 = 4_000

    /// A wait that begins now. A terminal that has answered another question is near or does not
    /// know this one; a terminal that has answered none may be at the end of a slow link.
    package init(asked: Int64, now: Int64, hasAnswered: Bool) {
        let short = now + Self.answer
        end = hasAnswered ? short : max(short, asked + Self.slowAnswer)
        restEnd = now + Self.rest
    }

    /// The time that is left. `isUnderWay` says that a part of an answer has come.
    package func left(now: Int64, isUnderWay: Bool) -> Int64 {
        max(0, (isUnderWay ? restEnd : end) - now)
    }
}
