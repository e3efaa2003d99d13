import SluiceModel
import SluiceStore

/// Schedules: any runner enqueues the tasks of all queues (R2).
extension RunnerLoop {
    /// Enqueues what schedules have due, in one commit; another runner may have been faster.
    func enqueueScheduled() {
        let now = runner.now()
        attempt {
            let done = try runner.store.transactBlocking(at: now) { try $0.enqueueScheduled() }
            if let lack = done.lacking.first {
                trouble(lack)
                agenda.letSchedulesRest(at: instant)
            }
            look()
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }
}
