package import SluiceModel

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
