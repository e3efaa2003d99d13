import SluiceSystem

/// The keys of a queue of Laravel. An app chooses the text before `queues:`.
struct LaravelKeys: Hashable {
    private static let mark = "queues:"
    /// Keys that hold the name of a queue.
    static let shape = KeySurvey.Shape("", holding: mark)

    /// The list of waiting jobs.
    let list: String

    /// The keys of a queue whose list has this name.
    init(list: String) { self.list = list }

    /// The queue that a key belongs to; `nil` for a key of another kind.
    init?(of key: String) {
        var own = (WorkList.owner(of: key) ?? key)[...]
        for end in [":delayed", ":reserved", ":notify"] where own.hasSuffix(end) {
            own = own.dropLast(end.count)
        }
        guard let place = own.firstRange(of: Self.mark), place.upperBound < own.endIndex else {
            return nil
        }
        list = String(own)
    }

    /// The name of the queue in its app.
    var name: String {
        list.firstRange(of: Self.mark).map { String(list[$0.upperBound...]) } ?? list
    }

    /// The text that the app puts before the names of its keys.
    var prefix: String {
        list.firstRange(of: Self.mark).map { String(list[..<$0.lowerBound]) } ?? ""
    }

    /// The keys of another queue of the same app.
    func sibling(_ name: String) -> LaravelKeys {
        LaravelKeys(list: "\(prefix)\(Self.mark)\(name)")
    }

    static func isWhole(_ name: String) -> Bool { name.contains(mark) }

    var workList: WorkList { WorkList(list, takes: .left) }
    var delayed: [UInt8] { Array("\(list):delayed".utf8) }
    var reserved: [UInt8] { Array("\(list):reserved".utf8) }
    /// One element for each waiting job, for workers that wait in the server (`block_for`).
    var notices: [UInt8] { Array("\(list)\(ListPolling.noticeEnd)".utf8) }
}
