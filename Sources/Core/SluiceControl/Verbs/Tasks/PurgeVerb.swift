import SluiceModel
import SluiceStore

/// Removes failed, deleted and finished tasks permanently (D7).
struct PurgeVerb: PlainVerb {
    static let name = "purge"
    static let help = "remove failed, deleted and finished tasks permanently"
    static let notes = [
        "Purged tasks cannot come back. It takes failed, deleted and succeeded tasks.",
        #"JSON: {"changed":[id],"failed":[{"id","code","error"}],"consequences","undo"}"#,
    ]
    static let participle = "purged"
    static let parameters = [
        Parameter.choice(
            "--members", "what becomes of the members of a start that holds some", \Self.members)
    ]
    static let asksForStoreName = StoreNameQuestion.always
    static let states: Set<TaskState.Name> = [.succeeded, .failed, .deleted]
    static let canBeUndone = false
    /// The fate of a start's waiting members.
    var members: MemberFate?

    static func reason(against shown: ShownTask) -> String? {
        shown.task.endedAt == nil
            ? "\(shown.name) is not finished: \(shown.key(.delete)) deletes it first" : nil
    }

    var caution: VerbCaution {
        let rest = "removed permanently; undo brings nothing back"
        return .always(one: "it is \(rest)", several: "they are \(rest)")
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        guard task.endedAt != nil else {
            throw QueueError.notLegal(
                "task #\(task.id) is \(task.state.name.rawValue)", fix: "delete it first")
        }
        if task.isAwaited {
            throw QueueError(
                .notLegal,
                "session \(task.session ?? "") has not heard of the end of #\(task.id)",
                command: .init("acknowledge", task.id, "marks it as not needed"))
        }
        if task.holdsMembers, try context.heldBack(by: task, "member") != nil {
            guard let members else {
                throw QueueError.notLegal(
                    "#\(task.id) still holds members of \(task.groupStart ?? "")",
                    fix: "add --members release, giveUp or delete")
            }
            try free(members, of: task, in: context)
        }
        try context.store.remove([task.id])
    }

    private func free(
        _ fate: MemberFate, of start: QueueTask, in context: VerbContext
    ) throws {
        switch fate {
        case .release: try context.mutation.apply(.endStartHold(.release), to: start)
        case .giveUp: try context.mutation.apply(.endStartHold(.giveUp), to: start)
        case .delete:
            try context.mutation.apply(.endStartHold(.release), to: start)
            try context.mutation.take(membersOf: start, deletedBy: context.person)
        }
    }
}

/// The fate of a purged start's members (Q10).
package enum MemberFate: String, Hashable, Sendable, CaseIterable {
    case release, giveUp, delete
}

extension Verb {
    /// Removes ended tasks permanently. Throws for a start that holds members, because their fate
    /// is unspecified (D7, Q10).
    public static func purge(_ targets: [TaskTarget]) -> Verb { purge(targets, members: nil) }

    /// Removes ended tasks permanently (D7).
    package static func purge(_ targets: [TaskTarget], members: MemberFate?) -> Verb {
        on(targets, PurgeVerb(members: members))
    }
}
