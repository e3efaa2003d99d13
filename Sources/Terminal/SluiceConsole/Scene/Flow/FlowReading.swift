package import SluiceControl
import SluiceModel
package import SluiceStore

/// The counts of view 9 at one moment: of all queues, and of the loaded ones.
package struct FlowReading: Hashable, Sendable {
    /// All queues together.
    package var all: FlowStock
    /// The loaded queues, by name.
    package var queues: [String: FlowStock] = [:]
    /// The arrivals per minute by queue, if the request wanted them.
    package var arrivedPerMinute: [String: Int] = [:]

    /// The counts of all queues together.
    package init(all: FlowStock) { self.all = all }

    /// The counts of other systems' queues, as a scene shows them.
    package init(seen scene: LoadedScene) {
        all = FlowStock(foreign: scene.counts)
        for line in scene.queues {
            queues[line.name] = FlowStock(foreign: line.overview.counts)
        }
    }
}

/// How many tasks a place holds, and how many have left it.
package struct FlowStock: Hashable, Sendable {
    /// The source of the counts of ended attempts.
    package enum Ends: Hashable, Sendable {
        /// By counts that the store keeps for each ten seconds.
        case kept(EndTally)
        /// By how many succeeded and failed tasks another system keeps now.
        case counted(succeeded: Int, failed: Int)
    }
    /// Tasks that wait, run or have failed, and those in the trash.
    package var held: Int
    package var ends: Ends

    package init(held: Int, ends: Ends) { (self.held, self.ends) = (held, ends) }

    /// The counts of the store, where it keeps them.
    package var tally: EndTally? { if case .kept(let tally) = ends { tally } else { nil } }
}

extension FlowStock {
    /// A stock of a store of this program's own.
    init(_ counts: QueueCounts, _ tally: EndTally) {
        let held: [TaskState.Name] = [.waiting, .running, .failed, .deleted]
        self.init(held: held.reduce(0) { $0 + counts[$1] }, ends: .kept(tally))
    }

    /// The stock of another system's queue, with current counts only.
    package init(foreign counts: QueueCounts) {
        self.init(
            held: counts[.waiting] + counts[.running] + counts[.failed],
            ends: .counted(succeeded: counts[.succeeded], failed: counts[.failed]))
    }
}

extension SceneLoader {
    /// The rates of a queue are by this much.
    private static let rateMilliseconds: Int64 = 70_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// Reads what view 9 counts: kept counts only, never tasks.
    func loadFlow(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        let since = request.flowSince ?? reading.real + -Self.hourMilliseconds
        var flow = FlowReading(
            all: FlowStock(scene.counts, try reading.endTally(of: nil, since: since)))
        for line in scene.queues {
            let recent = reading.real + -Self.rateMilliseconds
            flow.queues[line.name] = FlowStock(
                line.overview.counts, try reading.endTally(of: line.name, since: recent))
            if request.withArrivals {
                flow.arrivedPerMinute[line.name] = try reading.arrivedPerMinute(in: line.name)
            }
        }
        scene.flow = flow
    }
}
