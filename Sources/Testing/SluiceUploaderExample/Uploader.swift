import Sluice

/// A picture to upload. A worker with a handler for `upload` sends it
/// (`sluice work --handlers FILE`), not this program.
struct Upload: TaskPayload {
    static let taskType = "upload"
    var picture: String
}

/// Enqueues pictures and prints the result of each.
///
///     SluiceUploaderExample app.db one.jpg two.jpg    enqueues two and waits
///     SluiceUploaderExample app.db                    waits for pictures of earlier processes
///
/// A kill at any time is harmless: the enqueued tasks continue without it, and its next start
/// receives all unacknowledged results.
@main
struct Uploader {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let path = words.first else {
            return print("usage: SluiceUploaderExample STORE [PICTURE]...")
        }
        let app = try QueueClient.open(path)
        let session = try await app.session("uploads", of: Upload.self)

        // The items of earlier processes: some wait or run, others have ended since.
        for item in session.reconnected {
            print("found #\(item.id) \(name(item)), \(item.state.rawValue)")
        }
        // This output follows the commit: the task survives the death of any process.
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
                // Acknowledged, so no process receives it again.
                try await session.acknowledge(item)
                open -= 1
                if open == 0 { return try await session.close() }
            }
        }
    }

    /// The picture, or the reason why its payload is unreadable.
    static func name(_ item: SessionItem) -> String {
        switch item.content {
        case .success: item.payload(as: Upload.self)?.picture ?? item.task.type
        case .failure(let fault): "unreadable (\(fault.kind.rawValue))"
        }
    }
}
