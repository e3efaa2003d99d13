import SluiceConsole
import SluiceControl
import SluiceModel

/// The numbers of `queues --chart`, for scripts.
struct ChartJSON {
    let scene: LoadedScene
    let span: PulseSpan
    let queue: String?

    var value: JSONValue {
        let lines = scene.queues.filter { $0.name == queue ?? $0.name }
        return [
            "until": JSONValue(scene.at),
            "partSeconds": JSONValue(Int(span.partMilliseconds / 1000)),
            "queues": .array(lines.map(course)),
        ]
    }

    private func course(_ line: QueueLine) -> JSONValue {
        var track = PulseTrack()
        track.apply(waiting: line.tally.waiting, at: scene.at)
        if let pulse = scene.pulse[line.name] { track.apply(pulse, at: scene.at) }
        let series = track.series(span, at: scene.at)
        func numbers(_ values: [Double?]) -> JSONValue {
            .array(values.map { value in JSONValue(value.map { Int($0) }) })
        }
        return [
            "name": .string(line.name), "succeeded": numbers(series.succeeded),
            "failed": numbers(series.failed), "other": numbers(series.other),
            "p50Milliseconds": numbers(series.median), "p95Milliseconds": numbers(series.slow),
            "waitP50Milliseconds": numbers(series.waitMedian),
            "waitP95Milliseconds": numbers(series.waitSlow),
            "waiting": numbers(series.waiting),
        ]
    }
}
