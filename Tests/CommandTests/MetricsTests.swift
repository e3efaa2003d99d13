import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@testable import SluiceCommand
@testable import SluiceControl

/// Metrics at the command line.
@Suite("metrics at the command line")
struct MetricsTests {
    @Test("metrics prints a store's figures as OpenMetrics, and as JSON")
    func prints() {
        let bench = Bench()
        #expect(bench("enqueue mail send").exit == .done)
        #expect(bench("enqueue mail send").exit == .done)
        #expect(bench("enqueue mail render").exit == .done)
        #expect(bench("pause mail").exit == .done)
        bench.clock.withLock { $0 = $0 + 90_000 }
        let text = bench("metrics")
        #expect(text.exit == .done)
        #expect(
            text.output == """
                # TYPE sluice_tasks_waiting gauge
                # HELP sluice_tasks_waiting Waiting tasks.
                sluice_tasks_waiting{queue="mail",type="render"} 1
                sluice_tasks_waiting{queue="mail",type="send"} 2
                # TYPE sluice_tasks_running gauge
                # HELP sluice_tasks_running Tasks that run.
                sluice_tasks_running{queue="mail",type="render"} 0
                sluice_tasks_running{queue="mail",type="send"} 0
                # TYPE sluice_oldest_waiting_seconds gauge
                # UNIT sluice_oldest_waiting_seconds seconds
                # HELP sluice_oldest_waiting_seconds Age of the first waiting task of the queue.
                sluice_oldest_waiting_seconds{queue="mail"} 90
                # TYPE sluice_queue_paused gauge
                # HELP sluice_queue_paused Whether work of the queue is paused.
                sluice_queue_paused{queue="mail"} 1
                # TYPE sluice_runners gauge
                # HELP sluice_runners Attached workers.
                sluice_runners 0
                # TYPE sluice_runner_slots gauge
                # HELP sluice_runner_slots How many tasks they run at a time.
                sluice_runner_slots 0
                # TYPE sluice_build_info gauge
                # HELP sluice_build_info The version of the program; always 1.
                sluice_build_info{version="\(Release.version)"} 1
                # EOF

                """)
        let families = bench("metrics --json").json["families"]?.array ?? []
        #expect(families.first?["name"] == "sluice_tasks_waiting")
        let series = families.first?["series"]?.array ?? []
        #expect(series.map { $0["value"] } == [1, 2])
        #expect(series.last?["labels"]?["type"] == "send")
        #expect(bench("metrics mail").exit == .usage)
    }

    @Test(
        "work --metrics and metrics --listen take an address, and refuse other text",
        arguments: [["work", "--metrics"], ["metrics", "--listen"]])
    func option(_ command: [String]) throws {
        func parse(_ address: String) throws -> Invocation {
            let words = (command + [address]).map { Word($0) }
            return try CommandLineParser.parse(words: words).invocation
        }
        let address = HostPort(host: "127.0.0.1", port: 9464)
        let wanted: Invocation =
            command[0] == "work" ? .work(WorkCall(metrics: address)) : .exportMetrics(address)
        #expect(try parse("127.0.0.1:9464") == wanted)
        for wrong in ["9464", ":9464", "a:b", "a:99999", ""] {
            let error = #expect(throws: QueueError.self) { try parse(wrong) }
            #expect(error?.code == .badValue && error?.fix.contains("127.0.0.1:9464") == true)
        }
    }
}
