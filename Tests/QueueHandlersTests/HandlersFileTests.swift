import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@testable import SluiceHandlers

@Suite("The handlers file")
struct HandlersFileTests {
    static func read(_ text: String) throws -> HandlerTable {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-handlers-")
        let path = "\(folder)/handlers.json"
        try Files.writeAtomically(Array(text.utf8), to: path)
        let result = Result { try HandlersFile.read(path, environment: ["PATH=/bin"]) }
        try Files.removeTree(folder)
        return try result.get()
    }

    static let entries = #"""
        {"handlers": {
          "identify": {"command": ["./identify.sh", "--fast"], "timeout": "30s"},
          "jq": {"command": ["jq", "."]},
          "up": {"command": ["../bin/x"]},
          "abs": {"command": ["/bin/x"]},
          "thumbnail": {"simulate": {"fail": 2, "error": "boom", "duration": "200ms"}},
          "later": {"simulate": {"outcome": "retry", "after": "0s"}, "timeout": "1m"},
          "stop": {"simulate": {"outcome": "pauseQueue", "for": "30s", "error": "401"}}
        }}
        """#

    @Test("P6 CIO-113 a store's statuses hold for http entries that name none of their own")
    func defaults() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-handlers-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/handlers.json"
        let text =
            #"{"handlers":{"a":{"http":{"url":"http://x/"}},"#
            + #""b":[{"http":{"url":"http://x/","giveUpOn":[404]}}],"c":{"simulate":{}}}}"#
        try Files.writeAtomically(Array(text.utf8), to: path)
        let defaults = HandlerDefaults(giveUpOn: [400])
        let table = try HandlersFile.read(path, environment: [], defaults: defaults)
        #expect(defaults.own.map(\.type) == ["b"] && defaults.own.map(\.giveUpOn) == [[404]])
        func statuses(_ table: HandlerTable, _ type: String) -> Set<Int>? {
            (table.handler(for: type) as? HTTPHandler)?.settings.giveUpOn
        }
        #expect(statuses(table, "a") == [400] && statuses(table, "b") == [404])
        let usual = try HandlersFile.read(path, environment: [])
        #expect(statuses(usual, "a") == nil && statuses(usual, "b") == [404])
    }

    @Test("commands and simulations are read with all their keys")
    func read() throws {
        let set = try Self.read(Self.entries)
        let command = try #require(set.handler(for: "identify") as? CommandHandler)
        let folder = try #require(command.directory)
        #expect(command.program == "\(folder)/identify.sh" && folder.hasPrefix("/"))
        #expect(command.arguments == ["--fast"] && command.timeoutMilliseconds == 30_000)
        #expect(command.environment == ["PATH=/bin"])
        let programs = ["jq", "up", "abs"].map { type in
            (set.handler(for: type) as? CommandHandler)?.program
        }
        #expect(programs == ["jq", "\(folder)/../bin/x", "/bin/x"])
        let simulated = ["thumbnail", "later", "stop"].map { type in
            set.handler(for: type) as? SimulateHandler
        }
        #expect(
            simulated == [
                SimulateHandler(failures: 2, error: "boom", durationMilliseconds: 200),
                SimulateHandler(
                    outcome: .retry(afterMilliseconds: 0, error: nil), retryAfterMilliseconds: 0,
                    timeoutMilliseconds: 60_000),
                SimulateHandler(
                    error: "401",
                    outcome: .pauseQueue(milliseconds: 30_000, isCounted: false, error: "401")),
            ])
    }

    @Test("B9 the types are those of the file, or any where * is among them")
    func types() throws {
        let named = try Self.read(#"{"handlers": {"b": {"simulate": {}}, "a": {"simulate": {}}}}"#)
        #expect(named.types == ["a", "b"] && named.handler(for: "c") == nil)
        let any = try Self.read(
            #"{"handlers": {"b": {"simulate": {"fail": 1}}, "*": {"simulate": {}}}}"#)
        #expect(any.types == nil)
        #expect(any.handler(for: "c") as? SimulateHandler == SimulateHandler())
        #expect(any.handler(for: "b") as? SimulateHandler == SimulateHandler(failures: 1))
        #expect(HandlerTable().types == [])
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        let sentence: String

        init(_ text: String, _ sentence: String) {
            self.text = text
            self.sentence = sentence
        }

        /// An entry for the type `t`.
        static func entry(_ text: String, _ sentence: String) -> Bad {
            Bad(#"{"handlers": {"t": \#(text)}}"#, #"handlers.json: handler "t": "# + sentence)
        }

        /// A simulation for the type `t`.
        static func simulate(_ text: String, _ sentence: String) -> Bad {
            entry(#"{"simulate": \#(text)}"#, sentence)
        }

        var testDescription: String { text }
    }

    static let list = #"it must be a list of strings such as ["./run.sh", "--fast"]"#
    static let span = "such as 250ms, 30s or 15m"

    static let bad: [Bad] = [
        Bad("", "handlers.json, line 1, column 1: expected a value"),
        Bad("{\n  \"handlers\": {,}}", "handlers.json, line 2, column 16: expected"),
        Bad("[]", "handlers.json: the file is an array; it must be an object"),
        Bad("{}", "handlers.json: there is no \"handlers\"; write {"),
        Bad(
            #"{"handler": {}}"#,
            #"handlers.json: there is no key "handler"; did you mean "handlers"?"#),
        Bad(#"{"handlers": []}"#, #""handlers" is an array; it must be an object"#),
        Bad(#"{"handlers": {}}"#, #""handlers" is empty; write {"#),
        Bad(#"{"handlers": {"": {}}}"#, #"handler "": that is no name of a type; it must have 1"#),
        Bad(#"{"handlers": {"a\u0007": {}}}"#, "that is no name of a type"),
        .entry("3", "the handler is a number; it must be an object"),
        .entry(
            "{}",
            "it does not say how it is run; add one of command, process, http, upload, download, "
                + "simulate"),
        .entry(#"{"timeout": "1s"}"#, "it does not say how it is run"),
        .entry(
            #"{"comand": ["x"]}"#, #"there is no key "comand"; did you mean "command"?"#),
        .entry(
            #"{"zebra": 1}"#,
            #"there is no key "zebra"; the keys are command, process, http, upload, download, "#),
        .entry(
            #"{"command": ["x"], "simulate": {}}"#,
            #"it has "command" and "simulate"; keep one of them"#),
        .entry(#"{"process": []}"#, #""process" names no program; it must be a list of strings"#),
        .entry(
            #"{"process": ["x"], "copies": 0}"#, #""copies" is 0; it must be from 1 to 1000"#),
        .entry(
            #"{"process": ["x"], "heartbeat": "0s"}"#,
            #""heartbeat" is "0s"; it must be a duration longer than 0"#),
        .entry(
            #"{"command": ["x"], "copies": 2}"#, #""copies" means nothing without "process""#),
        .entry(#"{"upload": {}}"#, #""upload" names no "root"; add the folder that its files"#),
        .entry(#"{"download": {"root": ""}}"#, #""download.root" is ""; it must be the path of"#),
        .entry(#"{"command": "ls -l"}"#, #""command" is a string; \#(list)"#),
        .entry(#"{"command": []}"#, #""command" names no program; \#(list)"#),
        .entry(#"{"command": [""]}"#, #""command" names no program; \#(list)"#),
        .entry(#"{"command": ["a", 1]}"#, #""command.1" is a number; it must be a string"#),
        .entry(#"{"command": ["a\u0000"]}"#, #""command.0" holds a zero byte"#),
        .entry(#"{"command": ["a"], "timeout": 30}"#, #""timeout" is a number; it must be a str"#),
        .entry(
            #"{"command": ["a"], "timeout": "half an hour"}"#,
            #""timeout" is "half an hour"; it must be a duration longer than 0 \#(span)"#),
        .entry(#"{"command": ["a"], "timeout": "0"}"#, #""timeout" is "0"; it must be a duration"#),
        .simulate("[]", #""simulate" is an array; it must be an object"#),
        .simulate(
            #"{"fails": 1}"#, #"there is no key "simulate.fails"; did you mean "fail"?"#),
        .simulate(#"{"fail": -1}"#, #""simulate.fail" is -1; it must be a whole number, 0 or"#),
        .simulate(#"{"fail": 1.5}"#, #""simulate.fail" is 1.5; it must be a whole number"#),
        .simulate(#"{"fail": "two"}"#, #""simulate.fail" is a string; it must be a whole number"#),
        .simulate(#"{"error": null}"#, #""simulate.error" is null; it must be a string"#),
        .simulate(
            #"{"duration": "-1s"}"#,
            #""simulate.duration" is "-1s"; it must be a duration \#(span)"#),
        .simulate(
            #"{"outcome": "giveup"}"#,
            #""simulate.outcome" is "giveup"; did you mean "giveUp"?"#),
        .simulate(
            #"{"outcome": "elephant"}"#,
            #""simulate.outcome" is "elephant"; it must be one of success, retry, park, giveUp, "#),
        .simulate(#"{"after": "1s"}"#, #""simulate.after" means nothing without "fail" or"#),
        .simulate(#"{"for": "1s"}"#, #""simulate.for" means nothing without the outcome "pause"#),
        .simulate(
            #"{"outcome": "pauseQueue", "for": "0s"}"#,
            #""simulate.for" is "0s"; it must be a duration longer than 0"#),
    ]

    @Test("badHandlers names file, type and key, and says what to do", arguments: bad)
    func refused(_ one: Bad) throws {
        let error = try #require(throws: QueueError.self) { try Self.read(one.text) }
        #expect(error.code == .badHandlers && !error.fix.isEmpty)
        #expect(error.description.contains(one.sentence), "\(error)")
    }

    @Test("A4 a type that is named twice is refused with its line, however it is spelt")
    func twice() throws {
        let same = try #require(throws: QueueError.self) {
            try Self.read(
                """
                {"handlers": {
                  "send": {"simulate": {}},
                  "s\\u0065nd": {"simulate": {"fail": 1}}}}
                """)
        }
        #expect(same.code == .badHandlers)
        #expect(
            same.message.hasSuffix(
                #"handlers.json, line 3, column 3: the key "send" comes a second time"#))
        let accents = try #require(throws: QueueError.self) {
            try Self.read(
                "{\"handlers\": {\"caf\u{e9}\": {\"simulate\": {}}, "
                    + "\"cafe\u{301}\": {\"simulate\": {}}}}")
        }
        #expect(accents.code == .badHandlers)
        #expect(accents.message.contains("two handlers for \"caf\u{e9}\""), "\(accents)")
        let one = try Self.read("{\"handlers\": {\"cafe\u{301}\": {\"simulate\": {}}}}")
        #expect(one.handler(for: "caf\u{e9}") != nil)
        #expect(one.types?.map { Array($0.utf8) } == [Array("caf\u{e9}".utf8)])
    }

    @Test("A4 YTQ-20 an entry is for the queues of a prefix, and a list has one for each")
    func queues() throws {
        let table = try Self.read(
            """
            {"handlers": {
              "send": [{"simulate": {}, "queues": "chat-*"}, {"simulate": {}, "queues": "mail-*"},
                       {"simulate": {}, "timeout": "3s"}],
              "*": {"simulate": {}, "queues": "mail-*"}}}
            """)
        #expect(table.types == ["send"])
        #expect(table.brokers.map(\.name) == ["chat-*", "mail-*"])
        let types: [[String]?] = [["send"], nil]
        #expect(table.brokers.map(\.types) == types)
        #expect(table.handler(for: "send")?.timeoutMilliseconds == 3000)
        #expect(table.handler(for: "sweep") == nil)
    }

    static let badQueues: [(entry: String, sentence: String)] = [
        (#"{"simulate": {}, "queues": "chat"}"#, #""queues" is "chat""#),
        (#"{"simulate": {}, "queues": "*"}"#, #""queues" is "*""#),
        (#"{"simulate": {}, "queues": "a*b*"}"#, #""queues" is "a*b*""#),
        (#"{"simulate": {}, "queues": 3}"#, #""queues" is a number"#), ("[]", "the list is empty"),
        (#"[{"simulate": {}}, {"simulate": {}}]"#, #"two handlers for "send""#),
        (#"[{"simulate": {}}, {"simulat": {}}]"#, #"there is no key "1.simulat""#),
        (
            #"[{"simulate": {}, "queues": "a*"}, {"simulate": {}, "queues": "a-*"}]"#,
            #"two prefixes, "a" and "a-""#
        ),
    ]

    @Test("A4 YTQ-18 YTQ-20 what an entry says of queues is refused by name", arguments: badQueues)
    func refusedQueues(_ entry: String, _ sentence: String) throws {
        let error = try #require(throws: QueueError.self) {
            try Self.read(#"{"handlers": {"send": \#(entry)}}"#)
        }
        #expect(error.code == .badHandlers && !error.fix.isEmpty)
        #expect(error.message.contains(#"handler "send":"#) && error.message.contains(sentence))
    }

    @Test("badHandlers for a file that is missing, a folder, or too large")
    func unreadable() throws {
        let missing = try #require(throws: QueueError.self) {
            try HandlersFile.read("/no/such/handlers.json", environment: [])
        }
        #expect(missing.code == .badHandlers)
        #expect(missing.message.contains("cannot open /no/such/handlers.json"))
        let folder = #expect(throws: QueueError.self) {
            try HandlersFile.read("/tmp", environment: [])
        }
        #expect(folder?.code == .badHandlers)
        let large = #expect(throws: QueueError.self) {
            try Self.read(String(repeating: " ", count: HandlersFile.limitBytes + 1))
        }
        #expect(large?.message.contains("1048576 bytes") == true, "\(large as Any)")
    }
}
