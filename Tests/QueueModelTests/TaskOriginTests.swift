import SluiceModel
import Testing

@Suite("By what a task is known elsewhere")
struct TaskOriginTests {
    @Test("P6 an origin is a UUID that names its store and number, and no other store's")
    func local() {
        for id in [1, 2, 1042, TaskID.max >> 2] as [TaskID] {
            let origin = TaskOrigin.local(id, in: "store a")
            #expect(TaskOrigin.isUUID(origin) && origin == origin.uppercased())
            let bytes = Array(origin.utf8)
            #expect(bytes[14] == UInt8(ascii: "8"))
            #expect("89AB".utf8.contains(bytes[19]))
            #expect(TaskOrigin.id(of: origin, in: "store a") == id)
            #expect(TaskOrigin.id(of: origin.lowercased(), in: "store a") == id)
            #expect(TaskOrigin.id(of: origin, in: "store b") == nil)
        }
        let others = ["", "3143DAD0-E28A-42E6-84B1-D9F6779DCF91", "line-1-00", "x-y"]
        #expect(others.map { TaskOrigin.id(of: $0, in: "a") } == [nil, nil, nil, nil])
        #expect(others.map(TaskOrigin.isUUID) == [false, true, false, false])
    }

    @Test("P6 the numbers that stand for origins differ, and follow the numbers in them")
    func keys() {
        let lines = (1...3000).map { TaskOrigin.key(of: TaskOrigin.line($0, [UInt8($0 & 0xFF)])) }
        let tasks = (1...3000).map { TaskOrigin.key(of: TaskOrigin.local($0, in: "store a")) }
        let others = (1...3000).map { TaskOrigin.key(of: TaskOrigin.local($0, in: "store b")) }
        #expect(lines == lines.sorted() && tasks == tasks.sorted())
        let texts = ["", "x", "line-", "line-99999999999999999999-00", "their number 7"]
        let all = lines + tasks + others + texts.map { TaskOrigin.key(of: $0) }
        #expect(Set(all).count == all.count && all.allSatisfy { $0 >= 0 })
    }

    @Test("P6 a line is known by its number and what it says")
    func lines() {
        func origin(_ number: Int, _ text: String) -> String {
            TaskOrigin.line(number, Array(text.utf8))
        }
        #expect(origin(1, "{}") == origin(1, "{}"))
        let others = [origin(1, "{}"), origin(2, "{}"), origin(1, "{ }"), origin(1, "")]
        #expect(Set(others).count == others.count)
        #expect(others.allSatisfy { Names.isValid($0) && !TaskOrigin.isUUID($0) })
    }
}
