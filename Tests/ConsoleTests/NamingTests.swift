import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// The names on screen for tasks of a Customer.io folder (P6).
@Suite("Names of tasks")
struct NamingTests {
    private static let ids: [TaskID: String] = Dictionary(
        uniqueKeysWithValues: [877, 911, 930].map { ($0, id($0)) }
            + (600...611).map { ($0, id($0)) } + (1038...1052).map { ($0, id($0)) })

    /// `A041CAFE-…` for 1041.
    private static func id(_ number: TaskID) -> String {
        let digits = String(1000 + number % 1000).dropFirst()
        return "A\(digits)CAFE-E28A-42E6-84B1-D9F6779DCF91"
    }

    private func bench() throws -> Bench {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 40),
            now: LivingScene.now)
        bench.folderIDs = Self.ids
        bench.send(.storeChanged)
        return bench
    }

    @Test(
        "P6 a folder's tasks are shown by the first 8 characters of their UUID everywhere",
        arguments: [
            "", "w", "j w", "Enter", "2 l", "3", "4", "6", "a", "j j j R", "j R", "d", "G k w",
        ])
    func everywhere(_ keys: String) throws {
        let bench = try bench()
        bench.press(keys)
        let numbers = bench.screen.split(separator: "#").dropFirst().filter {
            $0.first?.isNumber ?? false
        }
        #expect(numbers.isEmpty, "\(bench.screen)")
        #expect(bench.screen.contains("CAFE"))
    }

    @Test(
        "P6 G1 a stop names its task so in the headline, in view 8 and when it is told",
        arguments: ["", "8"])
    func stop(_ keys: String) throws {
        let bench = try bench()
        let queue = try #require(bench.state.selectedQueue)
        let now = bench.now
        try bench.change { store in
            var record = try store.storeRecord()
            var breakpoint = try Breakpoint(
                number: 1, filter: TaskFilter("type:track"), by: "ann")
            breakpoint.hits = 1
            record.breakpoints.all = [breakpoint]
            try store.put(record)
            let hit = BreakpointHit(
                breakpoint: 1, match: 1, moment: .before, task: 605, type: "track", at: now,
                until: nil, isPassed: false)
            var stopped = try store.requireQueue(queue)
            stopped.pauses = [try #require(Pause(hits: [hit], since: now))]
            stopped.version += 1
            try store.put(stopped)
        }
        #expect(bench.state.scene?.namedTasks.contains(605) == true)
        #expect(bench.message.contains("stopped \(queue) before A605CAFE track"))
        bench.press(keys)
        #expect(bench.screen.contains("before A605CAFE track"), "\(bench.screen)")
        #expect(!bench.screen.contains("#605"), "\(bench.screen)")
    }

    @Test(
        "P6 the command that does the same names tasks as the command line takes them",
        arguments: [
            ("j j j R", "retry A043CAFE"), ("j j j x", "skip A043CAFE"),
            ("Space Space Space R y", "retry A040CAFE A041CAFE A042CAFE"),
        ])
    func command(_ keys: String, _ command: String) throws {
        let bench = try bench()
        bench.press(keys)
        #expect(bench.message.hasPrefix(command), "\(bench.message)")
        #expect(try TaskReference(String(command.suffix(8))) == .uuid(String(command.suffix(8))))
    }

    @Test(
        "P6 m takes the name of a task that is shown, or its number",
        arguments: [
            "before A041CAFE", "before 1041", "before a041",
        ])
    func move(_ place: String) throws {
        let bench = try bench()
        bench.press("j j j m")
        bench.type(place)
        bench.press("Enter")
        #expect(bench.message.hasPrefix("move A043CAFE --before A041CAFE | "), "\(bench.message)")
    }

    @Test("P6 columns stay aligned under names")
    func alignment() throws {
        let bench = try bench()
        let rows = bench.lines.filter { $0.contains("CAFE  ") && !$0.contains("sluice") }
        let heading = try #require(bench.lines.first { $0.contains("  type  ") })
        let type = try #require(heading.range(of: "type"))
        for row in rows.prefix(12) where row.contains("│") {
            #expect(Array(row)[type] != " " && Array(row)[type - 1] == " ", "\(row)")
        }
        #expect(rows.count >= 12)
    }

    @Test("P6 a name that is no UUID is a number in commands, and digits alone say more")
    func words() {
        let names = TaskNames([
            1: "12345678-AAAA-4BBB-8CCC-DDDDDDDDDDDD", 2: "x'; rm", 3: "3143DAD0-E28A-42E6",
        ])
        #expect(names.word(1) == "12345678-AAAA")
        #expect(names.word(2) == "2")
        #expect(names.word(3) == "3143DAD0")
        #expect(names.word(4) == "4")
        #expect(names.text("#3 and (#4), # and #31") == "3143DAD0 and (#4), # and #31")
        #expect(names.command(.task(.retry, 3)) == "retry 3143DAD0")
        #expect(names.command(.resume(queue: "3")) == "resume 3")
        #expect(names.command(.step(3)) == "step --task 3143DAD0")
    }
}
