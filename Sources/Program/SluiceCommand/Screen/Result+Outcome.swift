import SluiceModel
import SluicePlatform

extension Result where Failure == QueueError {
    /// The result of a body. Converts other errors to a `QueueError`.
    init(outcomeOf body: () throws -> Success) {
        do {
            self = .success(try body())
        } catch let error as QueueError {
            self = .failure(error)
        } catch let error as SystemError {
            self = .failure(QueueError(.denied, error.sentence, fix: "try again"))
        } catch {
            self = .failure(QueueError(.damagedStore, "\(error)", fix: "sluice doctor looks"))
        }
    }
}
