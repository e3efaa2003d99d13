import SluiceStore
import Testing

@Suite("How much follows a start in one commit")
struct WakeBatchSizeTests {
    @Test("T2 a slice takes what fits into 4 ms, and grows by degrees")
    func pace() {
        var pace = WakeBatchSize()
        #expect(pace.members == Mutation.membersOfMany)
        let times: [UInt64] = [1_000_000, 1_000_000, 8_000_000, 4_000_000, 900_000_000]
        let sizes = times.map { time in
            pace.took(nanoseconds: time)
            return pace.members
        }
        #expect(sizes == [20, 40, 20, 20, 10])
        for _ in 0..<9 { pace.took(nanoseconds: 0) }
        #expect(pace.members == 2000)
    }
}
