import SluiceStore
import Testing

@Suite("How much follows a start in one commit")
struct WakeBatchSizeTests {
    @Test("T2 a slice takes what fits into 4 ms, and grows by degrees")
    func batch() {
        var batch = WakeBatchSize()
        #expect(batch.members == Mutation.membersOfMany)
        let times: [UInt64] = [1_000_000, 1_000_000, 8_000_000, 4_000_000, 900_000_000]
        let sizes = times.map { time in
            batch.took(nanoseconds: time)
            return batch.members
        }
        #expect(sizes == [20, 40, 20, 20, 10])
        for _ in 0..<9 { batch.took(nanoseconds: 0) }
        #expect(batch.members == 2000)
    }
}
