import Glibc
import SluiceSystem
import Testing

@Suite("Crashes")
struct CrashTests {
    @Test("a crash first writes what was prepared, then takes its course")
    func crash() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try CrashGuard.arm(Array("left the screen".utf8), to: 1, modes: nil)
            let empty: [Int] = []
            print(empty[empty.count])
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("left the screen"))
        #expect(errors.contains("Index out of range"))
    }

    @Test("an abort still aborts, and a disarmed guard is silent", arguments: [true, false])
    func abort(armed: Bool) async throws {
        let result = try await #require(
            processExitsWith: .signal(6), observing: [\.standardOutputContent]
        ) { [armed] in
            try CrashGuard.arm(Array("left the screen".utf8), to: 1, modes: nil)
            if !armed { CrashGuard.disarm() }
            Glibc.abort()
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(output.contains("left the screen") == armed)
    }
}
