import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// The cursor of the real console while others work (K1, K2).
    @Suite("cursor", .serialized)
    struct CursorTests {
        @Test("K1 K2 the cursor stays on its task, and on its row, whatever others do around it")
        func staysOnTask() async throws {
            let seed = Soak.seed()
            print("cursor: seed \(seed)")
            try await Workplace.onOwnThread {
                let scene = try CursorScene(seed: seed)
                for round in 0..<Soak.count(12, soak: 200) { try scene.change(round) }
                try scene.console.quit()
            }
        }

        @Test("K1 the target of an open question stays, and a verb on a changed task is refused")
        func openQuestion() async throws {
            try await Workplace.onOwnThread {
                let scene = try CursorScene(seed: 1)
                let terminal = scene.console.terminal
                try terminal.send("d")
                let question = try terminal.wait(forText: "delete #\(scene.task)")
                for round in 0..<4 { try scene.neighbour.enqueue("mail", scene.urgent(round)) }
                try scene.neighbour.perform(.priority([TaskTarget(scene.task)], 7))
                try terminal.settle(quietMilliseconds: 200)
                let place = question.position(of: "delete #\(scene.task)")
                #expect(try terminal.screen.position(of: "delete #\(scene.task)") == place)
                try terminal.send("y")
                try terminal.wait(forText: "changed")
                let task = scene.task
                let state = try scene.neighbour.read { try $0.task(task)?.state.name }
                #expect(state == .waiting)
                try scene.console.quit()
            }
        }
    }
}

/// A queue by priority with the cursor in the middle of the screen.
private final class CursorScene {
    let place: Workplace
    let neighbour: Neighbour
    let console: LiveConsole
    let task: TaskID
    private let row: Int
    private var chance: SeededChance

    init(seed: UInt64) throws {
        chance = SeededChance(seed: seed)
        place = try Workplace.withStore()
        try place.json(["queue", "set", "mail", "--order", "priority"])
        try place.json(["pause", "mail"])
        neighbour = try Neighbour(at: place)
        // Each starts a group, so its deletion needs confirmation.
        let requests = (0..<300).map { number in
            var request = EnqueueRequest(type: "job")
            request.groupStart = "g\(number)"
            return request
        }
        let ids = try neighbour.enqueue("mail", requests)
        let members = ids.indices.map { number in
            var request = EnqueueRequest(type: "member")
            request.priority = -5
            request.groupMembers = ["g\(number)"]
            return request
        }
        try neighbour.enqueue("mail", members)
        console = try LiveConsole.open(at: place, showing: "row 1 of")
        // Faster than rows load, but no key is lost.
        for _ in 0..<40 { try console.terminal.key(.down) }
        for _ in 0..<5 { try console.terminal.key(.up) }
        try console.terminal.wait(forText: "row 36 of")
        try console.terminal.settle(quietMilliseconds: 150)
        task = try #require(try console.selectedTask())
        let picture = try console.terminal.screen.text
        #expect(task == ids[35], "\(picture)")
        row = try #require(try console.selectedRow())
    }

    /// Tasks that come before all others.
    func urgent(_ round: Int) -> [EnqueueRequest] {
        (0..<5).map { _ in
            var request = EnqueueRequest(type: "urgent")
            request.priority = round + 1
            return request
        }
    }

    /// One commit around the cursor, with more tasks before it than the screen has rows: more
    /// before it, fewer before it, others after it.
    func change(_ round: Int) throws {
        let query = TaskQuery(queue: "mail", state: .waiting, limit: 2000)
        let ids = try neighbour.read { try $0.tasks(matching: query).map(\.id) }
        let index = try #require(ids.firstIndex(of: task))
        let before = ids[..<index].shuffled(using: &chance).prefix(3).map { TaskTarget($0) }
        let after = ids[(index + 1)...].prefix(30).shuffled(using: &chance).prefix(2)
            .map { TaskTarget($0) }
        let person = "n\(round)."
        switch chance.number(0...3) {
        case 0 where index > 30:
            try neighbour.perform(
                .delete(before, cancelsRunning: false, members: .release), by: person)
        case 1 where !after.isEmpty:
            try neighbour.perform(
                .delete(after, cancelsRunning: false, members: .release), by: person)
        case 2 where index > 30: try neighbour.perform(.priority(before, -9), by: person)
        default: try neighbour.enqueue("mail", urgent(round), by: person)
        }
        let now = try neighbour.read { try $0.tasks(matching: query).map(\.id) }
        #expect(now.contains(task))
        try console.terminal.wait(forText: "by \(person)")
        try console.terminal.settle(quietMilliseconds: 40)
        let found = (task: try console.selectedTask(), row: try console.selectedRow())
        #expect(found.task == task)
        #expect(found.row == row)
    }
}
