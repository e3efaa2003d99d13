import SluiceModel
import SluiceSystem
import SluiceTestSupport

/// L: the cost of readers for workers: four workers of 16 slots, with consoles and log followers.
/// The base is the same workers just before and after, without readers.
struct LookingWork: Work {
    static let rows = ["L"]
    let bench: Workbench

    private static let crowds = [
        Crowd(consoles: 1), Crowd(consoles: 10), Crowd(consoles: 30), Crowd(followers: 10),
        Crowd(consoles: 30, followers: 10),
    ]

    private struct Crowd {
        var consoles = 0
        var followers = 0

        var title: String {
            let words = [
                consoles == 0 ? nil : consoles == 1 ? "1 console" : "\(consoles) consoles",
                followers == 0 ? nil : "\(followers) followers of the log",
            ]
            return words.compactMap { $0 }.joined(separator: " and ")
        }
    }

    func measure(_ tell: (Figure) throws -> Void) throws {
        let programs = try bench.programs()
        for crowd in Self.crowds { try measure(crowd, programs.sluice, tell) }
    }

    /// Measures one set of readers with workers on a separate store, so that the work suffices.
    private func measure(
        _ crowd: Crowd, _ program: String, _ tell: (Figure) throws -> Void
    ) throws {
        let path = try bench.filled(bench.amount(2_000_000), .oneQueue, types: 4)
        let workers = try Worker.start(4, ["__worker", path, "16"])
        defer {
            for worker in workers {
                _ = try? worker.signal(.kill)
                _ = try? Poll.wait(
                    fds: [PollInterest(worker.pidfd.number)], timeoutMilliseconds: 5000)
                _ = try? worker.reap()
            }
        }
        _ = try rate(at: path)
        var figure = Figure(
            id: "L", title: "4 workers beside \(crowd.title)", unit: "tasks/s",
            goal: .atLeast(0.8))
        figure.base = "the same with nobody there"
        var use = Figure(
            id: "L", title: "of a processor, each of \(crowd.title)", unit: "%",
            goal: .atMost(10))
        for _ in 0..<bench.repetitions {
            let before = try rate(at: path)
            let looking = try look(crowd, at: path, program)
            let bare = (before + (try rate(at: path))) / 2
            figure.samples.append(Figure.Sample(value: looking.rate, bare: bare))
            use.samples.append(Figure.Sample(value: looking.percent))
        }
        try tell(figure)
        try tell(use)
    }

    private func look(
        _ crowd: Crowd, at path: String, _ program: String
    ) throws -> (rate: Double, percent: Double) {
        let screens = try (0..<crowd.consoles).map { _ in
            try Screen(program, ["--store", path])
        }
        for screen in screens { _ = try screen.wait(for: "task-") }
        let audience = try Audience(screens)
        let followers = try (0..<crowd.followers).map { _ in
            try ChildProcess.spawn(
                Spawn(
                    program, ["log", "--follow", "--store", path],
                    environment: ProcessIdentity.environment(), output: .null, errors: .null))
        }
        defer {
            // The release of a screen ends its program.
            withExtendedLifetime(screens) { audience.leave() }
            for follower in followers {
                _ = try? follower.signal(.kill)
                _ = try? Poll.wait(
                    fds: [PollInterest(follower.pidfd.number)], timeoutMilliseconds: 5000)
                _ = try? follower.reap()
            }
        }
        let all = screens.map(\.child.processID) + followers.map(\.processID)
        // By now they have spent their initial allowance.
        _ = try rate(at: path)
        let before = try ticks(of: all)
        let rate = try rate(at: path)
        let ticks = Double(try ticks(of: all) - before)
        return (rate, ticks / Double(all.count) / Self.windowSeconds)
    }

    private static let windowSeconds = 5.0

    /// Ticks of 10 ms; one tick per second is 1 % of a processor.
    private func ticks(of processes: [Int32]) throws -> Int {
        try processes.reduce(0) { try $0 + ProcessUse(of: $1).ticks }
    }

    /// How many tasks a second are done at this moment.
    private func rate(at path: String) throws -> Double {
        let before = try Workbench.waiting(at: path)
        var left = 0
        let seconds = try Workbench.seconds {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: Int(Self.windowSeconds * 1000))
            left = try Workbench.waiting(at: path)
        }
        guard left > 0, left < before else {
            throw Workbench.Untrue(description: "of \(before) tasks \(left) are left at \(path)")
        }
        return Double(before - left) / seconds
    }
}

/// Reads the output of screens like a terminal, on a separate thread.
private final class Audience {
    private let stop: EventSignal
    private let thread: Thread

    init(_ screens: [Screen]) throws {
        let stop = try EventSignal()
        let masters = screens.map(\.master)
        self.stop = stop
        thread = try Thread(name: "audience") {
            let interests = (masters + [stop.descriptor]).map { PollInterest($0.number) }
            while true {
                guard let ready = try? Poll.wait(fds: interests, timeoutMilliseconds: nil)
                else { return }
                for found in ready {
                    if found.descriptor == stop.descriptor.number { return }
                    _ = try? masters.first { $0.number == found.descriptor }?.read(atMost: 1 << 16)
                }
            }
        }
    }

    func leave() {
        stop.signal()
        thread.join()
    }
}
