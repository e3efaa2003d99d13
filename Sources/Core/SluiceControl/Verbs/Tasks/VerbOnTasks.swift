import SluiceModel
import SluiceStore

/// One of the verbs on tasks, and the tasks.
package struct VerbOnTasks: StoreVerb {
    /// The tasks, in processing order.
    package var targets: [TaskTarget]
    /// The store's name as the person says it (G8).
    package var storeName: String?
    package let verb: any TaskVerb
    package var kind: any TaskVerb.Type { type(of: verb) }

    package init(_ targets: [TaskTarget], _ verb: any TaskVerb) {
        self.targets = targets
        self.verb = verb
    }

    package static func == (one: VerbOnTasks, other: VerbOnTasks) -> Bool {
        one.targets == other.targets && one.storeName == other.storeName
            && one.verb.isSame(as: other.verb)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(targets)
        hasher.combine(verb)
    }
}

/// Does a verb to one task or several (D5 to D8, D10).
extension VerbOnTasks {
    package var verbName: String { kind.name }
    package var pastTense: String { verb.pastTense }
    package var canBeUndone: Bool { kind.canBeUndone }
    package var caution: VerbCaution { verb.caution }

    package func asksForStoreName(tasks: Int) -> Bool {
        switch kind.asksForStoreName {
        case .never: false
        case .ofSeveral: tasks > 1
        case .always: true
        }
    }

    package func command(in text: CommandText) -> String {
        ([kind.name, text.tasks(targets.map(\.id), takesOne: kind.takesOne)]
            + verb.words(in: text).map(ShellWord.quoted)).joined(separator: " ")
            + CommandText.option(storeName)
    }

    package func lines(in script: VerbScript) -> String { script.lines(of: self) }

    package func perform(in context: VerbContext) throws {
        try verb.check(in: context)
        var queues: Set<String> = []
        for target in targets {
            defer { context.place += 1 }
            do {
                let task = try context.store.task(as: target)
                context.made = nil
                try verb.perform(on: task, in: context)
                context.answer.changed.append(context.made ?? task.id)
                queues.insert(task.queue)
            } catch let error as QueueError {
                // With one task, throw its error; with several, continue and list the failures.
                guard context.slice.total > 1, error.isRefusal else { throw error }
                let version = try context.store.task(target.id)?.version
                context.answer.failed.append(
                    Answer.Failure(id: target.id, error: error, version: version))
            }
        }
        let acted = context.changed(after: kind.participle)
        guard !acted.isEmpty else { return }
        var text = context.slice.verb.sentence(acted, by: context.person)
        if context.stopping > 0 {
            let some = acted.count == 1 ? "" : " \(context.stopping) of them"
            text += ",\(some) once \(context.stopping == 1 ? "it has" : "they have") stopped"
        }
        if !context.slice.isWhole {
            let end = NumberText.grouped(context.slice.places.upperBound)
            text += " (\(end) of \(NumberText.grouped(context.slice.total)))"
        }
        try context.journal(
            kind.name, queue: queues.count == 1 ? queues.first : nil,
            task: acted.count == 1 ? acted.first : nil, text,
            undo: kind.canBeUndone ? context.mutation.undo : nil)
    }
}

extension Verb {
    package static func on(_ targets: [TaskTarget], _ verb: any TaskVerb) -> Verb {
        Verb(VerbOnTasks(targets, verb))
    }
}

extension TaskVerb {
    /// Whether both are the same verb with the same parameters.
    fileprivate func isSame(as other: any TaskVerb) -> Bool { other as? Self == self }
}
