import SluiceModel
import SluiceStore
import Testing

@Suite("Groups")
struct GroupTests {
    /// Two starts of `g`, with members between and after them. `h` has only members.
    private static func fill(_ writer: any StoreWriter) throws -> [TaskID] {
        try writer.makeQueue()
        try writer.makeQueue("other")
        try writer.add(1, to: "other") { task, _ in task.groupStart = "g" }
        return try writer.add(7) { task, place in
            task.position = Int64(place + 1) * 10
            if place == 1 || place == 4 { task.groupStart = "g" }
            if [0, 2, 3, 5].contains(place) { task.groupMembers = ["g"] }
            if place == 5 || place == 6 { task.groupMembers.append("h") }
        }.map(\.id)
    }

    private static func ended(_ policy: StartFailurePolicy?) -> TaskState {
        .failed(Failure(at: at(9), reason: "boom", startPolicy: policy))
    }

    @Test("B5 a start holds while it waits or runs, or ended with hold", arguments: Engine.all)
    func holds(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        let running = TaskState.running(Samples.leases[0])
        let trash = Trash(at: at(9), by: "ann", former: running, startPolicy: .hold)
        var freed = trash
        freed.startPolicy = .release
        let cases: [(TaskState, Bool)] = [
            (.waiting(Samples.waits[7]), true), (running, true), (Self.ended(.hold), true),
            (Self.ended(.release), false), (Self.ended(.giveUp), false), (.deleted(trash), true),
            (.deleted(freed), false), (.succeeded(Success(at: at(9))), false),
            (.waiting(Waiting()), true),
        ]
        for (state, isHolding) in cases {
            try bench.write { writer in try writer.change(ids[1]) { $0.state = state } }
            let found = try bench.read { reader in
                try [20, 21, 50, 51, 1000].map {
                    try reader.holdingStart(queue: "q", group: "g", before: $0)
                }
            }
            let first = isHolding ? ids[1] : nil
            #expect(found == [nil, first, first, first ?? ids[4], first ?? ids[4]], "\(state)")
        }
        let none = try bench.read { try $0.holdingStart(queue: "q", group: "h", before: 1000) }
        #expect(none == nil)
    }

    @Test(
        "B5 a start that moves, or leaves its group, holds by its new place",
        arguments: Engine.all)
    func moves(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        func holder(_ position: Int64) throws -> TaskID? {
            try bench.read { try $0.holdingStart(queue: "q", group: "g", before: position) }
        }
        try bench.write { writer in try writer.change(ids[4]) { $0.position = 5 } }
        #expect(try holder(10) == ids[4])
        #expect(try holder(1000) == ids[4])
        try bench.write { writer in try writer.change(ids[4]) { $0.groupStart = "h" } }
        #expect(try holder(10) == nil)
        try bench.write { try $0.remove([ids[1]]) }
        #expect(try holder(1000) == nil)
    }

    @Test("B5 waiting members are found by position", arguments: Engine.all)
    func members(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        try bench.write { writer in
            try writer.change(ids[2]) { $0.state = .running(Samples.leases[0]) }
        }
        func members(_ after: Int64, _ through: Int64?, _ limit: Int) throws -> [TaskID] {
            try bench.read {
                try $0.tasks(
                    .waitingMembers(queue: "q", group: "g", after: after, through: through),
                    limit: limit
                ).map(\.id)
            }
        }
        #expect(try members(.min, nil, 10) == [ids[0], ids[3], ids[5]])
        #expect(try members(10, nil, 10) == [ids[3], ids[5]])
        #expect(try members(9, 40, 10) == [ids[0], ids[3]])
        #expect(try members(10, 39, 10) == [])
        #expect(try members(.min, nil, 2) == [ids[0], ids[3]])
        func count(_ after: Int64, _ limit: Int) throws -> Int {
            try bench.read {
                try $0.countTasks(
                    .waitingMembers(queue: "q", group: "g", after: after), limit: limit)
            }
        }
        #expect(try count(.min, 10) == 3)
        #expect(try count(10, 10) == 2)
        #expect(try count(.min, 2) == 2)
        try bench.write { writer in
            try writer.change(ids[0]) { $0.groupMembers = ["h"] }
            try writer.change(ids[6]) { $0.groupMembers = ["h", "g"] }
            try writer.remove([ids[5]])
        }
        #expect(try members(.min, nil, 10) == [ids[3], ids[6]])
    }

    @Test("Groups are listed by name with starts and members", arguments: Engine.all)
    func list(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { try Self.fill($0) }
        func groups(_ after: String?, _ limit: Int) throws -> [GroupSummary] {
            try bench.read { try $0.groups(queue: "q", after: after, limit: limit) }
        }
        let both = [
            GroupSummary(name: "g", starts: [ids[1], ids[4]], members: 4),
            GroupSummary(name: "h", starts: [], members: 2),
        ]
        #expect(try groups(nil, 10) == both)
        #expect(try groups(nil, 1) == [both[0]])
        #expect(try groups("g", 10) == [both[1]])
        #expect(try groups("h", 10) == [])
        try bench.write { writer in
            try writer.change(ids[1]) { $0.state = Self.ended(.release) }
            try writer.change(ids[0]) { $0.state = .running(Samples.leases[0]) }
            try writer.change(ids[2]) { $0.state = .succeeded(Success(at: at(1))) }
            try writer.remove([ids[5], ids[6]])
        }
        #expect(try groups(nil, 10) == [GroupSummary(name: "g", starts: [ids[4]], members: 2)])
    }
}
