import Sluice
import SluiceSystem

/// A letter, printed once a file with its name exists.
struct Letter: TaskPayload {
    static let taskType = "letter"
    var file: String
}

/// The identity of a customer.
struct Identify: TaskPayload {
    static let taskType = "identify"
    var user: Int
}

/// An action of a customer.
struct Track: TaskPayload {
    static let taskType = "track"
    var event: String
}

/// An app that works its own store until a signal.
///
///     SluiceServiceExample app.db
///
/// After TERM or INT it claims nothing more and lets running tasks finish. A second signal cancels
/// them.
@main
struct Service {
    static func main() async throws {
        guard let path = CommandLine.arguments.dropFirst().first else {
            return print("usage: SluiceServiceExample STORE")
        }
        let app = try QueueClient.open(path)
        try app.handle(Letter.self, on: .ownThread) { letter, _ in
            print("begin \(letter.file)")
            while !Files.exists(letter.file) {
                try Task.checkCancellation()
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
            }
            print("end \(letter.file)")
        }
        try app.handle(Identify.self) { person, _ in print("user \(person.user)") }
        try app.handle(Track.self) { step, _ in print("event \(step.event)") }
        try await app.runService(slots: 1, grace: .seconds(600)) { event in
            if case .attached = event { print("ready") }
        }
        print("ended")
    }
}
