package import SluiceModel
import SluiceStore

/// The parts of a filter that an engine's index can answer.
struct FilterNames {
    private let types: [String]?
    private let group: String?
    let session: String?

    init(_ filter: TaskFilter?) {
        types = filter?.names(of: .type).map { $0.sorted() }
        group = filter?.onlyName(of: .group)
        session = filter?.onlyName(of: .session)
    }

    var isNarrow: Bool { types != nil || group != nil || session != nil }

    /// Whether every match is of one of a few types.
    var hasTypes: Bool { types != nil && group == nil }

    /// Narrows a query by what every match has.
    func narrow(_ query: inout TaskQuery) {
        query.types = types
        query.group = group
    }
}

extension Display {
    /// Whether only waiting tasks show it.
    var isWaiting: Bool {
        switch self {
        case .next, .due, .delayed, .retrying, .held, .parked, .skipped, .blocked: true
        case .running, .stuck, .succeeded, .failed, .deleted: false
        }
    }

    /// Whether a waiting task with such flags may show it; with `isFollowing` the flags do not say
    /// yet what the end of a start left to do for its members (T2).
    func mayShow(in waitFlags: WaitFlags, isFollowing: Bool) -> Bool {
        switch self {
        case .parked: waitFlags.contains(.parked)
        case .skipped: waitFlags.contains(.skipped)
        case .retrying: waitFlags.contains(.retrying)
        case .delayed: waitFlags.contains(.delayed)
        case .held: waitFlags.contains(.held) || isFollowing
        case .due, .next: waitFlags.isDisjoint(with: [.parked, .lingering])
        // Expired tasks show as failed (Q8).
        case .blocked, .failed: true
        case .running, .stuck, .succeeded, .deleted: false
        }
    }
}

extension TaskFilter {
    /// The language on a page, at most 79 columns wide.
    package static let help: [String] = [
        "A filter says which tasks are meant: --filter 'FILTER', and / in the console.",
        "",
        "  timeout  \"two words\"     letters of any case in payload, type, label, group,",
        "                           error or client string",
        "  state:failed,parked      what shows as one of these states",
        "  type:mail  queue:  group:  session:  unique:  runner:  stage:",
        "                           exactly this name; * matches any letters",
        "  label:urgent  error:refused",
        "                           these letters, of any case, in the label or an error",
        "  failure:KEY              failed alike: the key of a row of sluice failures",
        "  id:12  id:5-40,77        these numbers (in a folder, beginnings of UUIDs)",
        "  text:kim                 the payload holds these bytes",
        "  type~^(mail|push)$       a field by a regular expression",
        "  attempts>=3  priority<0  size>64KiB  age>5m  due<30s  duration>2s  changed<10m",
        "                           compared: = != < <= > >=",
        "  payload.user.id=7  payload.items[0].name~^A  payload.coupon  payload.\"a.b\"",
        "                           a value in a JSON payload: compared, matched, there",
        "  twin:  twin:12           duplicates, sent twice: one type and payload, made",
        "                           within a minute of each other; the twins of #12",
        "  @stuck                   a filter that was saved: sluice filter save stuck '…'",
        "  not x  -x  !x            not",
        "  x y  x and y             both",
        "  x or y  ( … )            one of them; not, then and, then or",
        "",
        "States: \(wrapped(State.allCases.prefix(8).map(\.rawValue)))",
        "        \(wrapped(State.allCases.dropFirst(8).map(\.rawValue)))",
        "Quotes hold a value with blanks together; inside of them , and * are letters.",
        "A task without the value does not match. Regular expressions: . [] () | * + ?",
        "{m,n} ^ $ \\d \\w \\s \\b, in linear time.",
    ]

    private static func wrapped(_ words: [String]) -> String { words.joined(separator: " ") }
}
