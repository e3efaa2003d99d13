import SluiceModel
import SluicePlatform
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("Celery as it lies in Redis", .enabled(if: RedisServer.isInstalled), .serialized)
struct CeleryTests {
    @Test("D3 a step tells of its own execution, not of the result that the last one left")
    func results() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let address = redis.address
        let launcher = KeeperLauncher { _, queue in
            _ = try Thread(name: "keeper") {
                guard let own = try? RedisConnection(address) else { return }
                try? CelerySystem(own, KeeperLauncher { _, _ in }).keep(queue)
            }
        }
        let system = CelerySystem(redis, launcher)
        try redis.call("SADD", "_kombu.binding.mail", "mail\u{6}\u{16}\u{6}\u{16}mail")
        let worker = try FakeWorker(address, list: "mail", takes: "BRPOP")
        try until("the worker waits") {
            try redis.call("INFO", "clients").text?.contains("blocked_clients:1") == true
        }
        _ = try system.hold("mail", RQBench.note)
        let message =
            #"{"body":"W10=","headers":{"id":"t1","task":"send","retries":1},"#
            + #""content-type":"application/json","properties":{"body_encoding":"base64"}}"#
        try redis.call("LPUSH", "mail", message)
        let left = #"{"status":"RETRY","result":{"exc_message":["SMTP 451"]}}"#
        try redis.call("SET", "celery-task-meta-t1", left)
        try until("it is held") { try system.queues().first?.held == 1 }
        let step = try system.step(
            "mail", task: "t1",
            patience: StepPatience(takeMilliseconds: 20_000, endMilliseconds: 20_000))
        try until("it was taken") { worker.all.count == 1 }
        #expect(step?.task.reference == "t1")
        #expect(step?.outcome != "retry" && step?.error == nil, "\(String(describing: step))")
        _ = try system.release("mail")
        worker.end()
    }
}
