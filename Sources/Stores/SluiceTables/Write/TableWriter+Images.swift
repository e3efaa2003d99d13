import SluiceModel
import SluiceStore

/// Images for checkpoints (G5).
extension TableWriter {
    private enum SQL {
        static let put = Query(
            .insert(
                into: "sluice_image", ImageRow.columns,
                replacing: ["mark", "kind", "task", "queue"]))
        static let remove = Query("DELETE FROM sluice_image WHERE mark < ?")
        static let putStep = Query(
            .insert(into: "sluice_step", ["token", "record"], replacing: ["token"]))
        static let removeStep = Query(.delete(from: "sluice_step", where: ["token"]))
    }

    func put(_ images: [CheckpointImage]) throws {
        for image in images {
            let row = try connection.prepare(SQL.put)
            ImageRow.bind(image, to: row)
            try row.run()
        }
    }

    func put(_ step: StepImage) throws {
        let row = try connection.prepare(SQL.putStep)
        row.bind(step.token)
        row.bind(step.stored.text)
        try row.run()
        for token in try stepTokens().dropLast(StepImage.kept) {
            try change(SQL.removeStep, token)
        }
    }

    func removeImages(before mark: Int64) throws { try change(SQL.remove, mark) }
}
