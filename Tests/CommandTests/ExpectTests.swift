import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

/// `expect` at the command line.
@Suite("Expect command")
struct ExpectTests {
    private let bench = Bench()

    init() {
        for type in ["identify", "track"] { _ = bench.run(["enqueue", "mail", type, #"{"n":1}"#]) }
    }

    @Test("G7 what held is exit 0, what did not is 4 with what is and why")
    func answers() {
        let held = bench.run(["expect", "order(mail) == [1, 2] and payload(#1).n == 1"])
        #expect(held.exit == .done)
        #expect(held.output == "held: order(mail) == [1, 2] and payload(#1).n == 1\n")
        #expect(bench.run(["expect", "count(type:track) == 1", "--quiet"]).output == "")
        let not = bench.run(["expect", "empty(mail)", "--quiet"])
        #expect(not.exit == .notHeld && not.exit.rawValue == 4)
        #expect(
            not.output.hasPrefix(
                "not held\n  expected: empty(mail)\n  is:       2 waiting and 0 running in mail\n"
                    + "  #1 identify: next\n    no worker is attached"))
    }

    @Test("G7 its JSON has the names of the contract")
    func json() {
        let json = bench.run(["expect", "empty(mail)", "--json"]).json
        #expect(
            json.object?.keys
                == ["held", "expression", "expected", "actual", "milliseconds", "why"])
        #expect(json["held"] == false && json["expression"] == "empty(mail)")
        #expect(json["milliseconds"] == 0)
        #expect(json["why"]?.array?.compactMap { $0["id"]?.integer } == [1, 2])
        #expect(json["why"]?[0]?["blockers"]?[0]?["kind"] == "noRunner")
        #expect(bench.run(["expect", "not empty(mail)", "--json"]).json["why"] == [])
    }

    /// Bad input: the words, the code, and what the message names.
    static let badInput: [(words: [String], code: String, names: String)] = [
        (["expect"], "badValue", "EXPR is missing"),
        (["expect", "empty(mail)", "and"], "badValue", "one argument too many"),
        (
            ["expect", "count(type:x", "queue:y)", "==", "1"], "badValue",
            "blanks: sluice expect 'count(type:x queue:y) == 1'"
        ),
        (["expect", "emty(mail)"], "badValue", "empty(QUEUE)"),
        (["expect", "count(tpye:x) == 1"], "badFilter", "character 7"),
        (["expect", "empty(mial)"], "unknownQueue", "mail"),
        (["expect", "empty(mial)", "--within", "10ms"], "unknownQueue", "mail"),
        (["expect", "empty(mail)", "--throughout"], "badValue", "--within"),
        (["expect", "empty(mail)", "--within", "soon"], "badValue", "--within"),
        (["expect", "empty(mail)", "--since", "soon"], "badValue", "--since"),
        (["expect", "empty(mail)", "--since", "+5m"], "badValue", "--since"),
        (["expect", "empty(mail)", "--name", "x"], "badValue", "--junit"),
        (["expect", "empty(mail)", "--junit", ""], "badValue", "--junit"),
        (["expect", "empty(mail)", "--junit", "/nowhere/at/all.xml"], "denied", "--junit"),
    ]

    @Test("G7 bad input is named, and changes nothing", arguments: badInput.indices)
    func mistakes(_ place: Int) throws {
        let row = Self.badInput[place]
        let before = try bench.contents()
        let outcome = bench.run(row.words + ["--json"])
        #expect(outcome.errorCode == row.code, "\(row.words)")
        #expect(outcome.errors.contains(row.names), "\(outcome.errors)")
        #expect(try bench.contents() == before)
    }

    @Test("G7 --since counts back, and is refused where it does not")
    func since() {
        #expect(bench.run(["expect", "ran(type:x) == 0", "--since", "10m"]).exit == .done)
        #expect(bench.run(["expect", "ran(type:x) == 0", "--since", "-10m"]).exit == .done)
        #expect(
            bench.run(["expect", "ran(type:x) == 0", "--since", "2026-12-24T18:00:00Z"]).exit
                == .done)
    }

    @Test("G7 --since takes a checkpoint, and names what it takes where there is none")
    func sinceCheckpoint() {
        _ = bench.run(["checkpoint", "before"])
        #expect(bench.run(["expect", "ran(type:x) == 0", "--since", "before"]).exit == .done)
        let unknown = bench.run(["expect", "ran(type:x) == 0", "--since", "after"])
        #expect(unknown.exit == .usage)
        #expect(unknown.errors.contains("--since: there is no checkpoint \"after\"; allowed: 10m "))
        #expect(unknown.errors.contains("or the name of a checkpoint (\"before\")"))
    }

    @Test("G7 --junit makes a file and adds cases that can be read back, whatever is in them")
    func junit() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "junit-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/results.xml"
        let hostile = "a \"<b>&'\u{1b}[2J\n]]> \u{fffe} é"
        #expect(bench.run(["expect", "not empty(mail)", "--junit", path]).exit == .done)
        #expect(
            bench.run(["expect", "empty(mail)", "--junit", path, "--name", hostile]).exit
                == .notHeld)
        #expect(bench.run(["expect", "empty(mial)", "--junit", path]).exit == .refused)
        let text = String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
        let cases = JUnitReading(text)
        #expect(cases.tags.filter { $0 == "testcase" }.count == 3)
        #expect(cases.isWellFormed, "\(text)")
        #expect(
            cases.names == [
                "not empty(mail)", "a \"<b>&'\\u{1b}[2J\n]]> \\u{fffe} é", "empty(mial)",
            ])
        #expect(cases.tags.filter { $0 == "failure" }.count == 1)
        #expect(cases.tags.filter { $0 == "error" }.count == 1)
        #expect(
            text.contains("message=\"expected empty(mail), but 2 waiting and 0 running in mail"))
        #expect(!text.contains("\u{1b}"))
        #expect(try Files.list(folder) == ["results.xml"])
    }

    @Test("G7 a file of something else is not touched, and nothing is waited for")
    func otherFile() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "junit-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/results.xml"
        try Files.writeAtomically(Array("not XML".utf8), to: path)
        let outcome = bench.run([
            "expect", "empty(mail)", "--within", "1h", "--junit", path, "--json",
        ])
        #expect(outcome.errorCode == "badValue" && outcome.errors.contains("</testsuites>"))
        #expect(try Files.read(path, limitBytes: 100) == Array("not XML".utf8))
    }
}

/// A small strict reading of XML: its tags in their order, its names unescaped.
private struct JUnitReading {
    var tags: [String] = []
    var names: [String] = []
    var isWellFormed = true

    init(_ text: String) {
        var rest = text[...]
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            if rest[..<start].contains(">") { isWellFormed = false }
            guard let end = rest[start...].firstIndex(of: ">") else {
                isWellFormed = false
                return
            }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") { continue }
            let name = String(tag.drop { $0 == "/" }.prefix { $0.isLetter })
            if tag.hasPrefix("/") {
                if open.popLast() != name { isWellFormed = false }
                continue
            }
            tags.append(name)
            if tag.filter({ $0 == "\"" }).count % 2 != 0 { isWellFormed = false }
            if !tag.hasSuffix("/") { open.append(name) }
            if name == "testcase", let value = tag.split(separator: " name=\"").last {
                names.append(Self.plain(value.prefix { $0 != "\"" }))
            }
        }
        if !open.isEmpty { isWellFormed = false }
        let forbidden = text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }
        if forbidden { isWellFormed = false }
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#10;", with: "\n")
            .replacing("&amp;", with: "&")
    }
}
