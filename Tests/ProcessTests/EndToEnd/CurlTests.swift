import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker's message on a machine without libcurl, with an old one, or with a fake.
@Suite("end to end: libcurl")
struct CurlTests {
    /// The fake library in the first search place, and the beginning of the message.
    enum Fake: String, CaseIterable, Sendable {
        case noLibrary, old, another

        var sentence: String {
            switch self {
            case .noLibrary: "libcurl cannot be loaded (Debian: apt-get install libcurl4): "
            case .old: "libcurl 7.84.0 is too old: 7.85.0 or later is needed"
            case .another: "what is installed as libcurl has no curl_global_init"
            }
        }

        var source: String {
            switch self {
            case .noLibrary: ""
            case .old:
                """
                static struct { int age; const char *name; unsigned number; } info = {
                    0, "7.84.0", 0x075400};
                void *curl_version_info(int age) { return &info; }
                """
            case .another: "int other(void) { return 1; }"
            }
        }
    }

    private static let compiler = ["clang", "cc"].first { name in
        (try? ProgramPath.find(name, environment: ProcessIdentity.environment())) != nil
    }

    @Test(
        "A3 no libcurl, an old one: the queue pauses uncounted and says what is missing",
        .enabled(if: compiler != nil), arguments: Fake.allCases)
    func libraries(_ fake: Fake) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try Self.install(fake, at: place)
            try place.write(
                """
                {"handlers": {"ask": {"http": {"url": "http://127.0.0.1:1/"}},
                "fetch": {"download": {"root": "."}}, "send": {"upload": {"root": "."}}}}
                """, to: "handlers.json")
            let payloads = [
                "ask": "{}", "fetch": #"{"url":"http://127.0.0.1:1/","destination":"a"}"#,
                "send": #"{"url":"http://127.0.0.1:1/","source":"handlers.json"}"#,
            ]
            for (type, payload) in payloads {
                let added = try place.json(["enqueue", type, type, payload])
                let id = try #require(added["ids"]?[0]?.integer)
                let answer = try place.sluice(
                    ["step", type, "--check", "--json", "--handlers", place.file("handlers.json")],
                    environment: ["LD_LIBRARY_PATH=\(place.file("lib"))"])
                #expect(answer.code == 1, "\(answer)")
                let stepped = answer.json["stepped"]?[0]
                #expect(stepped?["outcome"] == "pauseQueue", "\(answer)")
                #expect(stepped?["error"]?.string?.hasPrefix(fake.sentence) == true, "\(answer)")
                let pause = try place.queue(type)["pauses"]?[0]
                #expect(pause?["reason"]?.string?.hasPrefix(fake.sentence) == true)
                #expect(try place.json(["show", "#\(id)"])["attempts"] == 0)
            }
        }
    }

    private static func install(_ fake: Fake, at place: Workplace) throws {
        try place.makeFolder("lib")
        for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] {
            guard fake != .noLibrary, let compiler else {
                try place.write("no library\n", to: "lib/\(name)")
                continue
            }
            try place.write(fake.source, to: "fake.c")
            let words = ["-shared", "-fPIC", "-o", place.file("lib/\(name)"), "fake.c"]
            try place.expecting(0, place.start(compiler, words).answer())
        }
    }
}
