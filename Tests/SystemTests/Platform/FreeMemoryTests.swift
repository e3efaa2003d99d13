import SluiceSystem
import Testing

@Suite("Free memory")
struct FreeMemoryTests {
    @Test("the memory that is left is told, and is no more than the machine has")
    func told() throws {
        let left = try #require(FreeMemory.bytes())
        let text = String(
            decoding: try Files.read("/proc/meminfo", limitBytes: 1 << 16), as: UTF8.self)
        let total = try #require(text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") })
        let kibibytes = try #require(Int64(total.filter(\.isNumber)))
        #expect(left > 0 && left < kibibytes << 10)
    }
}
