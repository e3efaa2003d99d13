import SluiceModel

/// The key of an image in its table. The numbers of the kinds never change.
struct ImagePlace: Hashable {
    var kind: Int64
    var task: TaskID
    var queue: String

    init(_ subject: CheckpointImage.Subject) {
        switch subject {
        case .task(let id): (kind, task, queue) = (0, id, "")
        case .payload(let id): (kind, task, queue) = (1, id, "")
        case .result(let id): (kind, task, queue) = (2, id, "")
        case .queue(let name): (kind, task, queue) = (3, 0, name)
        }
    }

    /// The kinds that people count.
    static let counted: [Int64] = [0, 3]

    static func subject(
        kind: Int64, task: TaskID, queue: String
    ) throws(QueueError) -> CheckpointImage.Subject {
        switch kind {
        case 0: .task(task)
        case 1: .payload(task)
        case 2: .result(task)
        case 3: .queue(queue)
        default: throw StoredFields.damage("an image of kind \(kind)")
        }
    }
}

enum ImageRow {
    static let columns = ["mark", "kind", "task", "queue", "size", "record", "bytes"]
    /// The record text of an image that holds bytes.
    private static let bytes = "bytes"

    static func bind(_ image: CheckpointImage, to row: any BoundStatement) {
        let place = ImagePlace(image.subject)
        row.bind(image.mark)
        row.bind(place.kind)
        row.bind(place.task)
        row.bind(place.queue)
        row.bind(image.size)
        switch image.content {
        case .task(let task):
            row.bind(task.stored.text)
            row.bindNull()
        case .queue(let queue):
            row.bind(queue.stored.text)
            row.bindNull()
        case .bytes(let bytes):
            row.bind(Self.bytes)
            row.bind(bytes)
        case .absent:
            row.bindNull()
            row.bindNull()
        }
    }

    /// Reads the columns but the size.
    static func read(_ row: any BoundStatement) throws(QueueError) -> CheckpointImage {
        let subject = try ImagePlace.subject(
            kind: row.integer(1), task: row.integer(2), queue: row.text(3))
        let content: CheckpointImage.Content
        if let record = row.optionalText(4) {
            switch subject {
            case .task: content = .task(try QueueTask(stored: StoredFields.parse(record)))
            case .queue: content = .queue(try QueueRecord(stored: StoredFields.parse(record)))
            case .payload, .result: content = .bytes(row.optionalBytes(5) ?? [])
            }
        } else {
            content = .absent
        }
        return CheckpointImage(mark: row.integer(0), subject: subject, content: content)
    }
}
