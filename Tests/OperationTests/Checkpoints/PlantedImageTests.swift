import SluiceModel
import SluiceStore
import Testing

@testable import SluiceControl

/// A rule of checkpoints broken on purpose: what a faulty keeper would have kept (G5).
enum PlantedImage: String, CaseIterable, Sendable {
    /// Keeps no image of a changed task.
    case taskForgotten
    case payloadForgotten
    /// Keeps no image of a queue.
    case queueForgotten
    /// Keeps the image of a later state instead of the first.
    case laterKept
    /// A task that came since is not known to have come since.
    case newTaskKept

    /// Applies the planted error to a store with a checkpoint.
    func spoil(_ store: any StoreWriter, _ checkpoint: String) throws {
        let images = try store.images(from: .min, before: .max)
        let spoiled = try images.compactMap { image -> CheckpointImage? in
            switch (self, image.subject) {
            case (.taskForgotten, .task), (.payloadForgotten, .payload),
                (.queueForgotten, .queue):
                return nil
            case (.laterKept, .task(let id)):
                guard let now = try store.task(id) else { return image }
                return CheckpointImage(
                    mark: image.mark, subject: image.subject, content: .task(now))
            default: return image
            }
        }
        if self == .newTaskKept {
            var record = try store.storeRecord()
            for index in record.checkpoints.all.indices {
                record.checkpoints.all[index].lastTask += 100
            }
            try store.put(record)
        }
        guard spoiled != images else { return }
        try store.apply(.removedImages(before: .max))
        try store.put(spoiled)
    }
}

@Suite("restores of faulty checkpoints")
struct PlantedImageTests {
    @Test(
        "G5 a restore from images that were kept wrongly is found not to equal the checkpoint",
        arguments: PlantedImage.allCases)
    func found(_ mistake: PlantedImage) throws {
        for seed in 0..<64 {
            let bench = try Bench(.memory)
            var operation = try RandomOperation(bench, seed: seed)
            for _ in 0..<20 { try operation.next() }
            try bench.perform(.takeCheckpoint(CheckpointRequest("a")), by: "eve")
            let before = try bench.dump()
            for _ in 0..<20 { try operation.next() }
            try operation.endAll()
            try bench.store.writeBlocking { try mistake.spoil($0, "a") }
            try bench.perform(.restore("a"))
            let after = try bench.dump()
            guard !after.supersedes(before) else { continue }
            if let wrong = after.unlike(checkpoint: before).first {
                print("planted \(mistake.rawValue): seed \(seed), \(wrong.prefix(120))")
                return
            }
        }
        Issue.record("\(mistake.rawValue) was not found in 64 seeds")
    }
}
