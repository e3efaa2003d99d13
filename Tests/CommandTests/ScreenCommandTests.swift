import SluiceConsole
import SluiceControl
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("commands of a console")
struct ScreenCommandTests {
    @Test(
        "the console's own options are options also where a command has --",
        arguments: ["show -- 1", "show 1", "list q -- ", "pause -- q"])
    func options(line: String) {
        let bench = Bench()
        _ = bench("enqueue q t")
        var common = CommonOptions()
        common.store = "memory"
        common.person = "kim"
        let commands = ScreenCommands(host: bench.host, common: common, handlers: "h.json")
        let report = commands.run(line) { _ in .goOn }
        #expect(!report.isFailure, "\(report.lines)")
    }
}
