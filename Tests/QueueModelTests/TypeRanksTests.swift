import SluiceModel
import Testing

@Suite("ranks of types")
struct TypeRanksTests {
    private func ranks(_ orders: String...) throws -> TypeRanks {
        try orders.reduce(TypeRanks()) { try $0.changed(to: TypeRanks.order($1)) }
    }

    private func numbers(_ ranks: TypeRanks) -> [Int] { ranks.ranks.map(\.priority) }

    @Test(
        "Q15 an order is read as it is written", arguments: ["none", "a", "a,b", "a,b=c,d", "é,b"])
    func text(_ text: String) throws {
        #expect(try ranks(text).text == text)
        #expect(try ranks("x,y", text).text == text)
    }

    @Test("Q15 earlier types have larger priorities, equal ones the same, others none")
    func priorities() throws {
        let ranks = try ranks("network, login,push=scheme")
        let types = ["network", "login", "push", "scheme", "other"]
        #expect(types.map(ranks.priority) == [3000, 2000, 1000, 1000, nil])
        #expect(try self.ranks().priority(of: "network") == nil)
    }

    @Test("Q15 types keep their numbers as far as the order permits")
    func keeps() throws {
        #expect(numbers(try ranks("a,b,c", "a,x,b,c")) == [3000, 2500, 2000, 1000])
        #expect(numbers(try ranks("a,b,c", "x,a,b,y,c,z")) == [4000, 3000, 2000, 1500, 1000, 500])
        #expect(numbers(try ranks("a,b,c", "c,a,b")) == [4000, 3000, 2000])
        #expect(numbers(try ranks("a,b,c", "b,c,a")) == [2000, 1000, 500])
        #expect(numbers(try ranks("a,b,c", "a,c")) == [3000, 1000])
        #expect(numbers(try ranks("a,b,c", "a=x,b,c")) == [3000, 2000, 1000])
        #expect(numbers(try ranks("a,b,c", "none")) == [])
    }

    @Test("Q15 where no number is free between two types, all get new ones")
    func crowded() throws {
        var ranks = try ranks("first,last")
        for place in 0..<40 {
            let middle = (0...place).map { "t\($0)" }.joined(separator: ",")
            ranks = ranks.changed(to: try TypeRanks.order("first,\(middle),last"))
            let numbers = numbers(ranks)
            #expect(numbers.count == place + 3 && numbers == numbers.sorted(by: >))
            #expect(Set(numbers).count == numbers.count && numbers.last ?? 0 > 0)
        }
    }

    @Test(
        "Q15 a type named twice, no name and too many are refused with the reason",
        arguments: [
            ("a,b,a", "twice"), ("a=a", "twice"), ("a,,b", "empty"), ("", "empty"),
            ("a,", "empty"), ("e\u{301},\u{E9}", "twice"),
            ((0...100).map { "t\($0)" }.joined(separator: ","), "101 types"),
        ])
    func refused(_ text: String, reason: String) {
        let error = #expect(throws: QueueError.self) { try TypeRanks.order(text) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
