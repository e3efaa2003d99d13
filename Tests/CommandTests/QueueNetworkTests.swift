import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("the network of one queue by command")
struct QueueNetworkTests {
    @Test("B6 IDJ-32 network off --queue holds one queue, and why, queues and network say so")
    func lifecycle() throws {
        let bench = Bench()
        _ = bench("enqueue mail send --requires network")
        _ = bench("enqueue draw render --requires network")
        let off = bench("network off --queue mail")
        #expect(off.exit == .done, "\(off.errors)")
        #expect(off.output.contains("the network of mail is forced off by"))
        let why = bench("why 1").output
        #expect(why.contains("the network was forced off for mail"))
        #expect(why.contains("sluice network measured --queue mail"))
        #expect(!bench("why 2").output.contains("network"))
        let queues = try #require(bench("queues --json").json["queues"]?.array)
        #expect(queues.map { $0["network"] } == [nil, "off"])
        #expect(bench("queues").output.contains("network forced off"))
        let network = bench("network")
        #expect(network.output.contains("mail: forced off; sluice network measured --queue mail"))
        #expect(bench("network --json").json["queues"] == ["mail": "off"])
        #expect(bench("log --script").output.contains("sluice network off --queue mail"))
        #expect(bench("network measured --queue mail").exit == .done)
        #expect(!bench("why 1").output.contains("network"))
    }

    @Test(
        "a wrong network of a queue changes nothing",
        arguments: [
            ("network off --queue none", "unknownQueue"), ("network --queue mail", "badValue"),
            ("network maybe --queue mail", "badValue"),
        ])
    func refused(_ command: String, code: String) throws {
        let bench = Bench()
        _ = bench("enqueue mail send --requires network")
        let before = try bench.contents()
        #expect(bench("\(command) --json").errorCode == code)
        #expect(try bench.contents() == before)
    }
}
