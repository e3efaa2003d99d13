import Sluice

/// A picture that is to be sent. Whoever handles the type `upload` sends it: any worker of the
/// store (`sluice work --handlers FILE`), not this program.
struct Upload: TaskPayload {
    static let taskType = "upload"
    var picture: String
}

/// Hands pictures over and says what became of each.
///
///     SluiceUploaderExample app.db one.jpg two.jpg    hands two over and waits
///     SluiceUploaderExample app.db                    waits for what its earlier lives handed over
///
/// Kill it when you like. What it said was handed over goes on without it, and its next life is
/// told each result that no life of it has acknowledged.
@main
struct Uploader {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let path = words.first else {
            return print("usage: SluiceUploaderExample STORE [PICTURE]...")
        }
        let app = try QueueClient.open(path)
        let session = try await app.session("uploads", of: Upload.self)

        // What earlier lives left behind: some of it waits or runs, some has ended meanwhile.
        for item in session.reconnected {
            print("found #\(item.id) \(name(item)), \(item.state.rawValue)")
        }
        // From the moment that this is said it is done, whoever is killed.
        for picture in words.dropFirst() {
            let id = try await session.enqueue(
                Upload(picture: picture), clientString: "album of \(picture)")
            print("handed over #\(id) \(picture)")
        }

        var open = session.reconnected.count + words.count - 1
        if open == 0 { return try await session.close() }
        for try await event in session.events {
            switch event {
            case .progress(let step):
                print("#\(step.id) \(Int((step.fraction ?? 0) * 100)) %")
            case .paused(let queue, let pause):
                print("\(queue) waits: paused by \(pause.by), \(pause.reason ?? "no reason given")")
            case .ended(let item):
                print("result #\(item.id) \(name(item)): \(item.error ?? "sent")")
                // Dealt with: nobody is told of it again.
                try await session.acknowledge(item)
                open -= 1
                if open == 0 { return try await session.close() }
            }
        }
    }

    /// The picture, or why it cannot be said which.
    static func name(_ item: SessionItem) -> String {
        switch item.content {
        case .success: item.payload(as: Upload.self)?.picture ?? item.task.type
        case .failure(let fault): "unreadable (\(fault.kind.rawValue))"
        }
    }
}
