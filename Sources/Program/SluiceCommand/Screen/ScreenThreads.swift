import SluiceSystem

/// The threads next to the screen's own: one for each kind of work that must not wait for another.
struct ScreenThreads: Sendable {
    /// Reads scenes, and closes stores.
    let readers: JobThread
    /// Verbs on a few tasks, and edits.
    let verbs: JobThread
    /// Verbs on many tasks.
    let bulks: JobThread
    /// Counts, and searches of marked or matching tasks.
    let searches: JobThread
    /// Steps, which last as long as their tasks; reports; the opening of another store.
    let steps: JobThread
    /// Runs typed commands, except steps.
    let typed: JobThread

    /// Starts them; they sleep until there is something to do.
    init() throws(SystemError) {
        readers = try JobThread(name: "sluice-reads")
        verbs = try JobThread(name: "sluice-verbs")
        bulks = try JobThread(name: "sluice-bulks")
        searches = try JobThread(name: "sluice-searches")
        steps = try JobThread(name: "sluice-steps")
        typed = try JobThread(name: "sluice-commands")
    }
}
