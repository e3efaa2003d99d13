import Sluice
import SluiceSystem
import Testing

@Suite("library: metrics")
struct MetricsTests {
    struct Mail: TaskPayload {
        static let taskType = "mail"
        var fails = false
    }

    private let app = QueueClient(store: MemoryStore())

    private func handle() throws {
        try app.handle(Mail.self) { mail, _ in
            if mail.fails { throw HandlerError(.giveUp(error: "no")) }
        }
    }

    @Test("workers count attempts by queue, type and outcome, with latency and duration")
    func counters() async throws {
        try handle()
        try await app.enqueue([Mail(), Mail(), Mail(fails: true)], to: "a")
        try await app.enqueue(Mail(), to: "b")
        try await app.drain(network: nil)
        let figures = app.metrics["a", "mail"]
        #expect(figures.started == 3)
        #expect(figures.ended == [.success: 2, .giveUp: 1])
        #expect(figures.latency.count == 3 && figures.duration.count == 3)
        #expect(app.metrics["b", "mail"].ended == [.success: 1])
        #expect(app.metrics["c", "mail"] == TaskMetrics.Figures())
    }

    @Test("they are a sequence: what is counted now, then the newest after each change")
    func sequence() async throws {
        try handle()
        var updates = app.metricUpdates.makeAsyncIterator()
        #expect(await updates.next() == TaskMetrics())
        try await app.enqueue(Mail(), to: "a")
        try await app.drain(network: nil)
        #expect(await updates.next()?["a", "mail"].ended == [.success: 1])
    }

    @Test("G3 latency is from when a task was due, by the clock of the store")
    func latency() async throws {
        try handle()
        try await app.setClock(.freeze)
        let begin = try await app.clock().now + 3_600_000
        try await app.enqueue(Mail(), to: "a") { $0.notBefore = begin }
        try await app.setClock(.move(3_600_000 + 40_000))
        try await app.drain(network: nil)
        let latency = app.metrics["a", "mail"].latency
        #expect(latency.count == 1 && latency.sumMilliseconds == 40_000)
        let place = try #require(MetricHistogram.bounds.firstIndex(of: 60_000))
        #expect(latency.cumulative[place] == 1 && latency.cumulative[place - 1] == 0)
    }

    @Test("more kinds than are counted apart are counted together")
    func manyKinds() {
        var metrics = TaskMetrics()
        for number in 0..<(TaskMetrics.kindLimit + 20) {
            let task = QueueTask(
                id: 1, queue: "q\(number)", type: "t", position: 0,
                createdAt: Timestamp(milliseconds: 0))
            let execution = Execution(
                task: task, payload: [], number: 1, idempotencyKey: "", storeName: "")
            metrics.record(.started(execution))
        }
        #expect(metrics.figures.count == TaskMetrics.kindLimit + 1)
        #expect(metrics[TaskMetrics.others, TaskMetrics.others].started == 20)
    }

    @Test("the text is OpenMetrics by its grammar, whatever queues and types are called")
    func text() async throws {
        let name = "a\"b\\c{d=\"e\",é\\"
        try handle()
        try app.handle(type: "*", AsyncHandler { _, _ in .success(result: nil) })
        try await app.enqueue([Mail(), Mail()], to: name)
        try await app.control.perform(.pause(PauseRequest(.queue(name))))
        try await app.enqueue([Mail(fails: true), Mail()], to: "plain")
        let odd = EnqueueRequest(type: "odd type", payload: [])
        try await app.control.perform(.enqueue(queue: name, [odd]))
        try await app.drain(queues: ["plain"], network: nil)
        let worker = try app.start(queues: ["none"], slots: 3, network: nil)
        let metrics = OpenMetricsReader(try await app.metricsText())
        try await worker.stop()
        #expect(metrics.faults == [])
        let mail = ["queue": name, "type": "mail"]
        #expect(metrics.value("sluice_tasks_waiting", mail) == 2)
        #expect(
            metrics.value("sluice_tasks_waiting", ["queue": name, "type": "odd type"]) == 1)
        #expect(metrics.value("sluice_queue_paused", ["queue": name]) == 1)
        #expect(metrics.value("sluice_queue_paused", ["queue": "plain"]) == 0)
        #expect(metrics.value("sluice_runners") == 1 && metrics.value("sluice_runner_slots") == 3)
        let plain = ["queue": "plain", "type": "mail"]
        #expect(metrics.value("sluice_tasks_failed", plain) == 1)
        #expect(metrics.value("sluice_tasks_waiting", plain) == nil)
        #expect(metrics.value("sluice_worker_attempts_started_total", plain) == 2)
        let given = plain.merging(["outcome": "giveUp"]) { $1 }
        #expect(metrics.value("sluice_worker_attempts_ended_total", given) == 1)
        #expect(metrics.value("sluice_worker_latency_seconds_count", plain) == 2)
        #expect(metrics.value("sluice_worker_duration_seconds_count", plain) == 2)
        let hour = ["queue": "plain", "outcome": "failed"]
        #expect(metrics.value("sluice_hour_attempts", hour) == 1)
        #expect(metrics.value("sluice_hour_duration_seconds_gcount", ["queue": "plain"]) == 2)
    }

    @Test(
        "the reader of these tests finds what the format forbids",
        arguments: [
            "a 1\n", "# TYPE a counter\na 1\n# EOF\n", "# TYPE a gauge\na{b=\"c} 1\n# EOF\n",
            "# TYPE a gauge\na{b=\"c\\x\"} 1\n# EOF\n", "# TYPE a gauge\na 1\na 2\n# EOF\n",
            "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n", "# TYPE a gauge\na one\n# EOF\n",
            "# TYPE a histogram\na_bucket{le=\"1.0\"} 1\na_count 1\na_sum 1\n# EOF\n",
            "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n",
        ])
    func reader(_ text: String) {
        #expect(OpenMetricsReader(text).faults != [])
    }
}
