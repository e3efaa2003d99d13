import Platform
public import QueueModel
public import QueueStore

/// Drives a store for one person: every verb of section 6, each in one commit, journalled, and
/// answered with what it did and how to take it back.
public struct Control: Sendable {
    /// The store.
    public let store: any QueueStore
    /// Who acts, for the journal.
    public let person: String
    /// The store's clock.
    public let now: @Sendable () -> Timestamp
    /// Draws jitter, in 0..<1.
    public let chance: @Sendable () -> Double

    /// A person at a store.
    public init(
        store: any QueueStore, person: String, now: @escaping @Sendable () -> Timestamp,
        chance: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.person = person
        self.now = now
        self.chance = chance
    }

    /// How many tasks of a bulk are changed in one commit (D10).
    public static let slice = 1000

    /// Does a verb, whole or not at all. Throws when nothing could be done; what could not be done
    /// to some of several tasks is named in the answer.
    @discardableResult
    public func perform(_ verb: Verb) async throws -> Answer {
        let work = work(verb)
        return try await store.write { try work($0) }
    }

    /// `perform` for a caller that may block its thread.
    @discardableResult
    public func performBlocking(_ verb: Verb) throws -> Answer {
        let work = work(verb)
        return try store.writeBlocking { try work($0) }
    }

    /// What a verb would do: the same, taken back before it is committed (`--dry-run`).
    public func rehearse(_ verb: Verb) throws -> Answer {
        let work = work(verb)
        do {
            return try store.writeBlocking { store -> Answer in
                throw Rehearsal(answer: try work(store))
            }
        } catch let rehearsal as Rehearsal {
            return rehearsal.answer
        }
    }

    private func work(_ verb: Verb) -> @Sendable (any StoreWriter) throws -> Answer {
        let (person, now, chance) = (person, now(), chance())
        return { store in
            let context = VerbContext(store, person: person, now: now, chance: chance)
            return try context.perform(verb)
        }
    }
}

/// Carries the answer of a rehearsal out of the write that it undoes.
private struct Rehearsal: Error {
    var answer: Answer
}
