/// A condition that the row of every match satisfies. An engine tests it on rows before it makes
/// tasks of them; the filter then tests these tasks.
package indirect enum RowCondition: Hashable, Sendable {
    case all([RowCondition])
    case any([RowCondition])
    /// Only of what the payload alone decides.
    case not(RowCondition)
    /// The payload holds these bytes.
    case text([UInt8])
    /// These letters occur, in any case, in the payload or in another text of the task.
    case letters(FoldedLetters)
    /// The same without the payload.
    case texts(FoldedLetters)
    case payload(PayloadPath, PayloadCheck)
    case expression(RegularExpression)
    case size(TaskFilter.Comparison, Int64)

    /// Whether it asks for more of a row than its payload.
    package var asksTexts: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.asksTexts)
        case .not(let part): part.asksTexts
        case .letters, .texts: true
        case .text, .payload, .expression, .size: false
        }
    }

    /// The searched bytes, if they are its only condition.
    package var onlyText: [UInt8]? {
        if case .text(let bytes) = self { bytes } else { nil }
    }

    /// Whether a row satisfies it. `hasTexts` reports whether letters may occur in the row's texts.
    package func holds(
        _ payload: UnsafeBufferPointer<UInt8>, hasTexts: (FoldedLetters) -> Bool
    ) -> Bool {
        switch self {
        case .all(let parts):
            for part in parts where !part.holds(payload, hasTexts: hasTexts) { return false }
            return true
        case .any(let parts):
            for part in parts where part.holds(payload, hasTexts: hasTexts) { return true }
            return false
        case .not(let part): return !part.holds(payload, hasTexts: hasTexts)
        case .text(let bytes): return payload.holds(bytes)
        case .letters(let letters): return letters.stand(in: payload) || hasTexts(letters)
        case .texts(let letters): return hasTexts(letters)
        case .payload(let path, let check): return check.holds(at: path, in: payload)
        case .expression(let expression):
            return expression.matches(String(decoding: payload, as: UTF8.self))
        case .size(let comparison, let bytes):
            return comparison.holds(Int64(payload.count), bytes)
        }
    }

    /// Whether a task with a payload satisfies it.
    package func holds(_ task: QueueTask, _ payload: [UInt8]) -> Bool {
        payload.withUnsafeBufferPointer { bytes in
            holds(bytes) { letters in task.prose.contains { letters.stand(in: $0) } }
        }
    }
}

extension TaskFilter {
    /// A condition that the row of every match satisfies; `nil` if no word concerns the row's
    /// contents.
    package var rowCondition: RowCondition? { expression.row?.condition }
}

extension RowCondition {
    /// Requires that one of these patterns may occur in a text of the task; `nil` if any text would
    /// do.
    fileprivate init?(standing patterns: [FilterPattern]) {
        let parts = patterns.map(\.demandedLetters)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self = .any(parts.map { .all($0.map(RowCondition.texts)) })
    }
}

extension TaskFilter.Expression {
    /// The condition, and whether it is equivalent to the expression.
    fileprivate var row: (condition: RowCondition, isExact: Bool)? {
        switch self {
        case .term(let term): return term.row
        case .saved(_, let part): return part.row
        case .not(let part):
            guard let row = part.row, row.isExact else { return nil }
            return (.not(row.condition), true)
        case .all(let parts):
            let rows = parts.map(\.row)
            let known = rows.compactMap { $0 }
            guard !known.isEmpty else { return nil }
            let isExact = known.count == rows.count && known.allSatisfy(\.isExact)
            let conditions = known.map(\.condition)
            return (conditions.count == 1 ? conditions[0] : .all(conditions), isExact)
        case .any(let parts):
            let rows = parts.compactMap(\.row)
            guard rows.count == parts.count else { return nil }
            return (.any(rows.map(\.condition)), rows.allSatisfy(\.isExact))
        }
    }
}

extension TaskFilter.Term {
    fileprivate var row: (condition: RowCondition, isExact: Bool)? {
        switch self {
        case .letters(let letters): (.letters(letters), false)
        case .field(let field, let patterns) where field.isProse:
            RowCondition(standing: patterns).map { ($0, false) }
        case .text(let text): (.text(Array(text.utf8)), true)
        case .expression(.text, let expression): (.expression(expression), true)
        case .payload(let path, let check): (.payload(path, check), true)
        case .measure(.size, let comparison, let bytes): (.size(comparison, bytes), true)
        case .state, .field, .expression, .id, .measure: nil
        }
    }
}
