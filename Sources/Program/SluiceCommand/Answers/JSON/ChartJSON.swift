import SluiceConsole
import SluiceControl
import SluiceModel

/// The numbers of `queues --chart`, for scripts.
struct ChartJSON {
    let scene: LoadedScene
    let span: PulseSpan
    let queue: String?

    var value: JSONValue {
        let names = scene.queues.map(\.name).filter { $0 == queue ?? $0 }
        return [
            "until": JSONValue(scene.at),
            "partSeconds": JSONValue(Int(span.partMilliseconds / 1000)),
            "queues": .array(names.map(course)),
        ]
    }

    private func course(_ name: String) -> JSONValue {
        var track = PulseTrack()
        if let pulse = scene.pulse[name] { track.apply(pulse, at: scene.at) }
        let series = track.series(span, at: scene.at)
        func numbers(_ values: [Double?]) -> JSONValue {
            .array(values.map { value in JSONValue(value.map { Int($0) }) })
        }
        return [
            "name": .string(name), "succeeded": numbers(series.succeeded),
            "failed": numbers(series.failed), "other": numbers(series.other),
            "p50Milliseconds": numbers(series.median), "p95Milliseconds": numbers(series.slow),
            "waitP50Milliseconds": numbers(series.waitMedian),
            "waitP95Milliseconds": numbers(series.waitSlow),
        ]
    }
}
