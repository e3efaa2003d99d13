import SluiceControl
import SluiceModel
import SluiceStore

/// The scene of the demonstration: five queues that show the five systems. The same seed and moment
/// make the same scene, task for task.
struct DemoScene {
    /// The hidden verb that makes it alone.
    static let verb = "__demo-scene"
    /// Draws the little differences.
    private var random: SeededGenerator
    private let mutation: Mutation
    private var now: Timestamp { mutation.now }

    /// Fills an empty store.
    static func build(in store: any StoreWriter, seed: UInt64, now: Timestamp) throws {
        let history = try store.transact(at: now) { mutation in
            var scene = DemoScene(random: SeededGenerator(seed: seed), mutation: mutation)
            try scene.profiles()
            try scene.messages()
            try scene.jobs()
            try scene.uploads()
            try scene.startup()
            return scene.history()
        }
        try history.happen(in: store, before: now)
    }

    /// The earlier attempts that lead to the state of each queue.
    private mutating func history() -> DemoHistory {
        var history = DemoHistory()
        history.add(
            "profiles",
            [
                ("track", track("noor", "opened_cart")), ("track", track("lee", "paid")),
                ("metric", metric("opened")), ("screen", ["name": "Orders"]),
            ], secondsAgo: 130...3500, every: 20, milliseconds: 60...420, failing: 14,
            error: "HTTP 503 Service Unavailable", &random)
        history.add(
            "messages", [("send", ["to": "lou", "text": "See you there"])],
            secondsAgo: 310...3500, every: 50, milliseconds: 80...300, failing: 9,
            error: "connection reset", &random)
        history.add(
            "jobs",
            [("resize", ["n": 0]), ("mail", ["to": "noor@example.com"]), ("index", ["n": 0])],
            secondsAgo: 20...3500, every: 40, milliseconds: 300...4000, failing: 8,
            error: "worker ran out of memory", &random)
        history.add(
            "uploads", [("upload", ["file": "scan.pdf", "bytes": 4_200_000])],
            secondsAgo: 100...3500, every: 400, milliseconds: 9000...40_000, failing: 5,
            error: "connection lost at 61 %", &random)
        for number in 0..<7 {
            history.addFailed(
                "jobs", "export", ["order": .integer(Int64(1040 + number))],
                "HTTP 503 from storage-\(number % 3 + 1) after 30 s",
                secondsAgo: 1500 - Int64(number) * 190)
        }
        for (place, name) in ["ann", "lee"].enumerated() {
            history.addFailed(
                "jobs", "mail", ["to": .string("\(name)@example.com")],
                "550 mailbox \"\(name)\" is full", secondsAgo: 900 - Int64(place) * 500)
        }
        history.addFailed(
            "jobs", "report", ["month": "2026-01"], "no template \"monthly\"", secondsAgo: 240)
        return history
    }

    private func queue(
        _ name: String, preset: String, _ change: (inout QueueSettings) -> Void
    ) throws {
        guard var settings = QueueSettings.preset(named: preset) else { return }
        change(&settings)
        try mutation.store.put(
            QueueRecord(name: name, settings: settings, createdAt: now + -3_600_000))
    }

    @discardableResult
    private mutating func add(
        _ queue: String, _ type: String, _ payload: JSONValue, secondsAgo: Int64,
        _ change: (inout EnqueueRequest) -> Void = { _ in }
    ) throws -> TaskID {
        var request = EnqueueRequest(type: type, payload: payload.bytes)
        request.createdAt = now + -secondsAgo * 1000
        change(&request)
        return try mutation.enqueue([request], to: queue).ids.first ?? 0
    }

    /// Customer.io: batched runs, groups; the first start fails once with HTTP 500, simulated. It
    /// is paused, so that the first step is a person's.
    private mutating func profiles() throws {
        try queue("profiles", preset: "customer-io") {
            $0.priority = 9
            $0.expiresAfterMilliseconds = nil
            $0.retry = .fixed(milliseconds: 20_000)
            $0.whenStartFails = .hold
        }
        let dana = "dana"
        try add("profiles", "identify", person("dana"), secondsAgo: 128) {
            $0.groupStart = dana
            $0.label = "fails at first"
        }
        for (index, event) in ["signed_in", "opened_cart", "paid"].enumerated() {
            try add(
                "profiles", "track", track("dana", event), secondsAgo: 126 - Int64(index) * 3
            ) { $0.groupMembers = [dana] }
        }
        try add("profiles", "metric", metric("opened"), secondsAgo: 110)
        try add("profiles", "register", ["token": "c25cef9e", "profile": "dana"], secondsAgo: 95) {
            $0.groupStart = "token c25c"
            $0.groupMembers = [dana]
        }
        try add("profiles", "unregister", ["token": "c25cef9e"], secondsAgo: 80) {
            $0.groupMembers = ["token c25c"]
        }
        try add("profiles", "identify", person("mira"), secondsAgo: 64) {
            $0.groupStart = "mira"
        }
        for event in ["signed_in", "read_article"] {
            try add("profiles", "track", track("mira", event), secondsAgo: 60) {
                $0.groupMembers = ["mira"]
            }
        }
        let skipped = try add("profiles", "metric", metric("clicked"), secondsAgo: 44)
        try add("profiles", "screen", ["name": "Dashboard"], secondsAgo: 40)
        if let task = try mutation.store.task(skipped) {
            let skip = Skip(by: "dana", since: now + -20_000, until: nil, endsWithRun: true)
            try mutation.apply(.skip(skip), to: task)
        }
        try mutation.addPause(
            Pause(
                cause: .person, by: "dana", reason: "checking the first identify",
                since: now + -120_000), to: "profiles")
    }

    /// YapTaskQueue: strict order; the head fails four times before it goes through.
    private mutating func messages() throws {
        try queue("messages", preset: "yap") {
            $0.priority = 5
            $0.retry = .fixed(milliseconds: 15_000)
        }
        let texts = ["On my way", "Two minutes", "Here!", "Which door?", "The green one"]
        for (index, text) in texts.enumerated() {
            try add(
                "messages", "send", ["to": "kim", "text": .string(text)],
                secondsAgo: 300 - Int64(index) * 40
            ) { if index == 0 { $0.label = "fails at first" } }
        }
    }

    /// iDelayedJob: priorities, attempts, growing waits.
    private mutating func jobs() throws {
        try queue("jobs", preset: "delayed-job") { $0.priority = 1 }
        let kinds = ["resize", "report", "export", "mail", "index"]
        for index in 0..<16 {
            let kind = kinds[index % kinds.count]
            let age = Int64(600 - index * 35 + Int.random(in: 0..<20, using: &random))
            let priority = [0, 0, 1, 5, 10][Int.random(in: 0..<5, using: &random)]
            try add("jobs", kind, ["n": .integer(Int64(index + 1))], secondsAgo: age) {
                $0.priority = priority
                if kind == "report" { $0.label = "fails at first" }
            }
        }
        let later = now + 90_000
        try add("jobs", "digest", ["for": "everybody"], secondsAgo: 30) { $0.notBefore = later }
    }

    /// SwiftyDropbox: transfers with progress; one that never ends, so that the queue shows stuck.
    private mutating func uploads() throws {
        try queue("uploads", preset: "transfer") {
            $0.concurrency = 2
            $0.keepFinished = .last(3)
            $0.stuckAfterMilliseconds = 20_000
        }
        try add("uploads", "upload", ["file": "holiday.mov", "bytes": 734_003_200], secondsAgo: 90)
        {
            $0.label = "never ends"
        }
        for (index, name) in ["invoice.pdf", "notes.txt", "photos.zip"].enumerated() {
            try add(
                "uploads", "upload",
                ["file": .string(name), "bytes": .integer(Int64(index + 1) * 3_000_000)],
                secondsAgo: 60 - Int64(index) * 12
            ) { $0.requires = index == 2 ? [.network] : [] }
        }
    }

    /// The start-up of Kakao T: ranks, only manual starts, and one required task.
    private mutating func startup() throws {
        try queue("startup", preset: "startup") { _ in }
        let ranks = [
            "checkNetwork", "findLocation", "readProfile", "signIn", "readAppInfo", "showBanner",
        ]
        for (rank, type) in ranks.enumerated() {
            try add("startup", type, ["rank": .integer(Int64(rank))], secondsAgo: 15) {
                $0.priority = -rank
                $0.isRequired = type == "signIn"
            }
        }
    }

    private func person(_ name: String) -> JSONValue {
        let attributes = "{\"first_name\":\"\(name)\",\"plan\":\"gold\"}"
        return ["identifier": .string("\(name)@example.com"), "attributes": .string(attributes)]
    }

    private func track(_ name: String, _ event: String) -> JSONValue {
        ["identifier": .string("\(name)@example.com"), "event": .string(event)]
    }

    private func metric(_ event: String) -> JSONValue {
        ["delivery_id": "b41f", "event": .string(event)]
    }
}

/// A small generator that gives the same numbers for the same seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
