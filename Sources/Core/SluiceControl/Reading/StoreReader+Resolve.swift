package import SluiceModel
package import SluiceStore

extension StoreReader {
    /// The number of the task that a person named, which exists; throws `unknownTask`.
    package func resolve(_ reference: TaskReference) throws -> TaskID {
        try requireTask(try number(of: reference)).id
    }

    /// The number that a person named, whether there is such a task or not.
    ///
    /// Only a Customer.io folder knows tasks by a UUID; digits alone are a number first.
    package func number(of reference: TaskReference) throws -> TaskID {
        if let naming { return try naming.task(matching: reference) }
        guard let number = reference.number else {
            throw QueueError(
                .unknownTask, "there is no task \(reference) in this store",
                fix: "a task is named by its number, such as #12; UUIDs are for folders")
        }
        return number
    }
}
