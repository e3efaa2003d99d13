import SluiceControl
import SluiceModel
import SluiceStore

/// The plan of a day: the tasks of each queue, and the allowed backlog per hour.
struct DayPlan {
    var tasks: Int
    /// How many times shorter the day is than a day, which housekeeping follows.
    static let squeeze: Int64 = 144
    static let workers = 4
    static let slots = 64
    /// How many tasks a commit of a producer brings.
    static let batch = 500

    static let queues: [(name: String, settings: [SettingChange])] = {
        let wide: [SettingChange] = [.concurrency(64), .retry(.fixed(milliseconds: 50))]
        return [
            ("mail", wide), ("track", wide), ("site", wide), ("push", wide + [.priority(5)]),
            ("kept", wide + [.keepFinished(.last(1000))]),
            ("briefly", wide + [.keepFinished(.milliseconds(5000))]),
            ("failing", wide + [.attempts(2), .retention(5000)]),
            ("strict", [.afterFailure(.block), .retry(.fixed(milliseconds: 1))]),
        ]
    }()

    /// The handler's outcome for a task number and execution number.
    static func outcome(of number: Int, execution: Int) -> HandlerOutcome {
        if number % 200 == 7 { return .giveUp(error: "never") }
        if number % 50 == 3, execution == 1 {
            return .retry(afterMilliseconds: nil, error: "once more")
        }
        return .success(result: nil)
    }

    /// The queue of a batch: one in a hundred goes into the strict one.
    static func queue(ofBatch batch: Int) -> String {
        if batch % 100 == 50 { return "strict" }
        return queues[batch % (queues.count - 1)].name
    }

    /// A task; two in a hundred are in groups of ten, one has an earliest begin.
    static func request(_ number: Int, at now: Timestamp) -> EnqueueRequest {
        var request = EnqueueRequest(type: "t", payload: Array(#"{"n":\#(number)}"#.utf8))
        let place = number % 500
        if place == 0 { request.groupStart = "g\(number / 500)" }
        if (1..<10).contains(place) { request.groupMembers = ["g\(number / 500)"] }
        if number % 100 == 42 { request.notBefore = now + Int64(number % 2000) }
        return request
    }

    /// How many tasks may wait when that part of the day's tasks has come in, 0..<1: a quiet night,
    /// a morning that grows, a noon, an evening.
    func backlog(at part: Double) -> Int {
        let hours = [
            1, 1, 1, 1, 1, 2, 5, 10, 20, 30, 40, 50, 50, 40, 30, 30, 20, 20, 10, 5, 5, 2, 1, 1,
        ]
        return min(tasks / 2, 1000 * hours[min(23, Int(part * 24))])
    }
}
