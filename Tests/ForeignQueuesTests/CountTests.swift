import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("counts of a queue and the states of its list", .enabled(if: RedisServer.isInstalled))
struct CountTests {
    /// Files of the systems' own libraries, and the systems that read them.
    static let files: [(file: String, system: String)] = [
        "rq", "rq-old", "rqscheduler", "celery", "celery-old", "redbeat", "sidekiq", "bullmq",
        "bullmq-old", "saq", "huey", "huey-old", "arq", "dramatiq", "resque", "asynq", "laravel",
        "taskiq", "taskiqstream",
    ].map { file in
        let own = ["rqscheduler": "rq", "redbeat": "celery"]
        return (file, own[file] ?? String(file.prefix { $0 != "-" }))
    }

    @Test("X1 agree for everything that a library wrote", arguments: files.map(\.file))
    func agree(file: String) throws {
        let system = try #require(Self.files.first { $0.file == file }?.system)
        let server = try RedisServer()
        for scenario in try Fixture.scenarios(file) {
            let redis = try server.connect()
            try redis.call("FLUSHALL")
            try Fixture.play(file, scenario, at: redis)
            let systems = try RedisSystems.recognise(
                redis, as: system, KeeperLauncher { _, _ in })
            let found = try #require(systems.first { $0.name == system })
            for queue in try found.queues() {
                try found.expectCounts(queue, "\(file) \(scenario)")
            }
        }
    }

    @Test(
        "X1 a copy shows each task in the state that its system's list shows",
        arguments: files.map(\.file))
    func states(file: String) throws {
        let system = try #require(Self.files.first { $0.file == file }?.system)
        let now = Timestamp(milliseconds: 1_769_868_202_000)
        let server = try RedisServer()
        let redis = try server.connect()
        for scenario in try Fixture.scenarios(file) {
            try redis.call("FLUSHALL")
            try Fixture.play(file, scenario, at: redis)
            let systems = try RedisSystems.recognise(
                redis, as: system, KeeperLauncher { _, _ in })
            let found = try #require(systems.first { $0.name == system })
            let store = ForeignStore(name: "here", systems: [found])
            let replica = ForeignReplica(name: "here")
            try replica.update(from: store, at: now)
            for queue in try found.queues() {
                var listed: [String: Display] = [:]
                for state in TaskState.Name.allCases {
                    let page = try found.page(
                        ForeignQuery(queue: queue.name, state: state, limit: 1000))
                    for task in page.withNext(isFirst: true).tasks {
                        listed[task.reference] = task.display.shown
                    }
                }
                let lines = try replica.store.readBlocking { reader in
                    try Reading(reader, now: now).list(
                        queue: queue.name, sections: ListSection.allCases, limit: 1000)
                }
                let shown = Dictionary(
                    lines.map { (replica.references[$0.task.id] ?? "", $0.display) },
                    uniquingKeysWith: { first, _ in first })
                #expect(shown == listed, "\(file) \(scenario) \(queue.name)")
            }
        }
    }

    @Test("X1 agree in Redis for tasks that are revoked, or have a time, while they are held")
    func held() throws {
        let fixture = try Fixture("huey", "plain")
        let redis = try fixture.server.connect()
        let list = WorkList(HueySystem.list("ship"), takes: .right)
        // As a hold leaves them.
        try redis.call("RENAME", list.list, list.held)
        let system = try fixture.system(HueySystem.self)
        let queue = try #require(try system.queues().first)
        #expect(queue.held == 1 && queue.blocked == 2 && queue.delayed == 2 && queue.waiting == 3)
        try system.expectCounts(queue, "held")
    }
}

extension ForeignSystem {
    /// Expects that the exact counts of a queue are those of its pages.
    func expectCounts(_ queue: ForeignQueue, _ place: String) throws {
        var listed = ForeignQueue(name: queue.name, system: name)
        for state in [TaskState.Name.running, .waiting, .failed, .succeeded] {
            let page = try page(ForeignQuery(queue: queue.name, state: state, limit: 1000))
            for task in page.tasks { listed.add(1, task.display) }
        }
        func counts(_ queue: ForeignQueue) -> [ForeignCount: Int] {
            [
                .waiting: queue.waiting, .blocked: queue.blocked, .held: queue.held,
                .delayed: queue.delayed, .taken: queue.taken, .running: queue.running,
                .succeeded: queue.succeeded, .failed: queue.failed, .skipped: queue.skipped,
            ]
        }
        let unsure = queue.estimates.union(queue.bounds)
        for (count, number) in counts(queue) where !unsure.contains(count) {
            #expect(number == counts(listed)[count], "\(place): \(count) of \(queue.name)")
        }
    }
}
