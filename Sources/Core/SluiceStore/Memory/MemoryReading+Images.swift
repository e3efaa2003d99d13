import SluiceModel

extension MemoryReading {
    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) -> Set<CheckpointImage.Subject> {
        guard let kept = state.images[mark] else { return [] }
        return Set(subjects.filter { kept[$0] != nil })
    }

    func steps() -> [StepImage] { state.steps.values.sorted { $0.token < $1.token } }

    func images(from mark: Int64, before end: Int64) -> [CheckpointImage] {
        var found: [CheckpointImage.Subject: CheckpointImage] = [:]
        for (number, kept) in state.images.sorted(by: { $0.key < $1.key })
        where number >= mark && number < end {
            found.merge(kept) { first, _ in first }
        }
        return Array(found.values)
    }

    func imageCounts(from mark: Int64) -> ImageCounts {
        let kept = state.images.filter { $0.key >= mark }.values.flatMap(\.values)
        let subjects = Set(kept.map(\.subject).filter(\.isTaskOrQueue))
        return ImageCounts(
            subjects: subjects.count, bytes: kept.reduce(0) { $0 + $1.size })
    }
}

extension CheckpointImage.Subject {
    fileprivate var isTaskOrQueue: Bool {
        switch self {
        case .task, .queue: true
        case .payload, .result: false
        }
    }
}
