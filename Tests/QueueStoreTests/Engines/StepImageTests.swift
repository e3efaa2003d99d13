import SluiceModel
import SluiceStore
import Testing

@Suite("Steps that are kept")
struct StepImageTests {
    @Test("G5 a step is kept as it was put, and of many the newest 20", arguments: Engine.all)
    func kept(_ engine: Engine) throws {
        let bench = try Bench(engine)
        var steps: [StepImage] = []
        for (number, state) in Samples.states.enumerated() {
            var task = QueueTask(
                id: 7, queue: "q", type: "t", position: 16, createdAt: at(1), state: state)
            task.label = "é\n"
            var step = StepImage(
                token: Int64(number), task: task, attempt: number, lastTask: .max)
            step.takenBack = number % 3 == 0 ? 5 : nil
            if number % 2 == 0 {
                step.end = StepImage.End(
                    sequence: 9, left: number % 4 == 0 ? task : nil,
                    images: [
                        .init(id: 8, before: task, payloadBefore: [0], versionAfter: 3),
                        .init(id: 9, before: nil, versionAfter: 1),
                    ],
                    payload: number % 4 == 0 ? nil : [0, 255])
                step.end?.endsRun = number % 4 == 0
            }
            steps.append(step)
        }
        let all = steps
        try bench.write { writer in for step in all.shuffled() { try writer.put(step) } }
        #expect(try bench.read { try $0.steps() } == all.suffix(StepImage.kept))
        var last = try #require(all.last)
        last.takenBack = 17
        let changed = last
        try bench.write { try $0.put(changed) }
        #expect(try bench.read { try $0.steps() } == all.dropLast().suffix(19) + [changed])
        #expect(throws: QueueError.self) {
            try bench.write { writer in
                try writer.put(all[0])
                try writer.put(all[all.count - 1])
                throw QueueError.notLegal("no")
            }
        }
        #expect(try bench.read { try $0.steps() } == all.dropLast().suffix(19) + [changed])
    }
}
