import SluiceModel
import SluiceSystem
import SluiceTestSupport

extension ManyTrial {
    private static let compatible = ["SLUICE_TEST_MIGRATION=+"]
    private static let incompatible = ["SLUICE_TEST_MIGRATION=+-"]

    private var tables: (version: Int64, oldest: Int64) {
        get throws {
            try (
                site.number("SELECT version FROM sluice.schema"),
                site.number("SELECT oldest FROM sluice.schema")
            )
        }
    }

    /// One machine after the other gets a newer program, while all work.
    func upgrade() throws {
        verdicts.chapter("A rolling upgrade to tables with which both versions work")
        let old = try tables
        _ = try enqueue("line", #"{"ms":50}"#, count: 60)
        try add(to: "line", environment: Self.compatible)
        let new = try tables
        verdicts.note(
            new.version == old.version + 1 && new.oldest == old.oldest,
            "the newer program made version \(new.version) of \(old.version), "
                + "for programs of \(new.oldest) and later")
        try site.dismiss("ada")
        try site.recruit("ada", environment: Self.compatible)
        _ = try site.wait(seconds: 30) { try attached == 3 }
        let before = Int64(SystemClock.monotonicNanoseconds())
        // The desk still has the old program.
        _ = try enqueue("wide", #"{"ms":500}"#, count: 150)
        let isDone = try site.waitForSuccess(of: 150, in: "wide", seconds: 60)
        let told = site.judge.lives.filter { $0.begin > before }
        let shares = Site.workers.map { name in
            "\(name) \(told.count { $0.machine == name })"
        }
        verdicts.note(
            isDone && Set(told.map(\.machine)).count == 3,
            "the new one (ada) and the old ones work side by side: "
                + shares.joined(separator: ", "))
        for name in Site.workers {
            let isOn = site.running[name]?.isRunning ?? false
            if !isOn { verdicts.note(false, "\(name) ended: \(site.complaints(of: name))") }
        }
        judgeOrder()
        try judgeStore()
    }

    /// An incompatible version: older programs end with a message, and new ones continue.
    func replace() throws {
        verdicts.chapter("An upgrade with which older programs cannot work")
        try add(to: "line", environment: Self.incompatible)
        let said = try Site.workers.map { name -> String in
            // Older workers learn of it when they next want something.
            let code = try site.running[name]?.answer(withinSeconds: 60).code ?? 0
            let isReported = site.complaints(of: name).contains("newerSchema")
            if code != 2 || !isReported { verdicts.note(false, "\(name) ended with \(code)") }
            return "\(name) \(code)"
        }
        verdicts.note(true, "older workers ended, newerSchema: \(said.joined(separator: ", "))")
        let refused = try site.start(["queues", "--json"], on: Site.desk).answer()
        verdicts.note(
            refused.errorCode == "newerSchema", "the older program at the desk is refused")
        for name in Site.workers { try site.recruit(name, environment: Self.incompatible) }
        _ = try site.wait(seconds: 30) { try attached == 3 }
        try judgeStore()
        for name in Site.workers { try site.dismiss(name) }
        let doctor = try site.start(["doctor"], on: Site.desk, environment: Self.incompatible)
            .answer()
        verdicts.note(doctor.code == 0, "doctor finds nothing wrong")
    }

    /// Hands one task over with a program of another version.
    private func add(to queue: String, environment: [String]) throws {
        let answer = try site.sluice(["enqueue", queue, "job"], environment: environment)
        let ids = answer["ids"]?.array?.compactMap(\.integer) ?? []
        count(queue, ids.count)
        if queue == "line" { line += ids }
    }
}
