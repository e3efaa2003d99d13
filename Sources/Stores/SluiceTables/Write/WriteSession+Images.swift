import SluiceModel
import SluiceStore

/// Images for checkpoints (G5).
extension WriteSession {
    private enum SQL {
        static let put = Query(
            .insert(
                into: "sluice_image", ImageRow.columns,
                replacing: ["mark", "kind", "task", "queue"]))
        static let remove = Query("DELETE FROM sluice_image WHERE mark < ?")
    }

    func put(_ images: [CheckpointImage]) throws {
        for image in images {
            let row = try connection.prepare(SQL.put)
            ImageRow.bind(image, to: row)
            try row.run()
        }
    }

    func removeImages(before mark: Int64) throws { try change(SQL.remove, mark) }
}
