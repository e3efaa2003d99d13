import Sluice

struct Picture: TaskPayload {
    static let taskType = "picture"
    var path: String
}

struct Stored: Codable, Sendable {
    var address: String
}

func handle(_ app: QueueClient) throws {
    try app.handle(Picture.self, returning: Stored.self) { picture, task in
        task.progress(0.5, "half of \(picture.path)")
        return Stored(address: "pictures/\(picture.path)")
    }
}

func upload(_ paths: [String], with app: QueueClient) async throws -> [String] {
    let session = try await app.session("uploads", of: Picture.self)
    for path in paths { try await session.enqueue(Picture(path: path)) }
    var addresses: [String] = []
    for try await event in session.events {
        guard case .ended(let item) = event else { continue }
        if let stored = try item.result(as: Stored.self) { addresses.append(stored.address) }
        try await session.acknowledge(item)
        if addresses.count == paths.count { break }
    }
    return addresses
}
