import SluiceModel
import SluiceSystem

/// P: other task queues with their durable settings, by the same work in the same run.
struct PeerWork: Work {
    static let rows = ["P"]
    let bench: Workbench

    /// The scripts, each of one peer.
    static let peers = ["huey", "litequeue", "persistqueue", "rq"] + atPostgres

    /// The peers that support a server.
    static let atPostgres = ["procrastinate", "pgqueuer"]

    func measure(_ tell: (Figure) throws -> Void) throws {
        let works: [(title: String, count: Int)] = [
            ("W1", 1000), ("W2", 5000), ("W3", 1000),
        ]
        for peer in Self.peers {
            if let absence = try absence(of: peer) {
                var figure = Figure(id: "P", title: peer, unit: "")
                figure.absence = absence
                try tell(figure)
                continue
            }
            for work in works {
                var figure = Figure(id: "P", title: "\(peer), \(work.title)", unit: "tasks/s")
                let count = bench.amount(work.count)
                for _ in 0..<bench.repetitions {
                    let base = try raw(work.title, count)
                    figure.samples.append(
                        Figure.Sample(value: try rate(peer, work.title, count), bare: base))
                }
                try tell(figure)
            }
        }
    }

    private func raw(_ work: String, _ count: Int) throws -> Double {
        let loop = try bench.raw(.bare)
        defer { loop.close() }
        let rate = try loop.insert(first: 1, count: count, each: work == "W1" ? 1 : count)
        return work == "W3" ? try loop.drain(limit: count) : rate
    }

    /// The reason why a peer is not available, in its script's words.
    func absence(of peer: String) throws -> String? {
        guard Files.exists(script(peer)) else { return "\(script(peer)) is missing" }
        let answer = try ask(peer, ["probe"])
        return answer.isDone ? nil : answer.text
    }

    func rate(
        _ peer: String, _ work: String, _ count: Int, environment: [String] = []
    ) throws -> Double {
        let folder = bench.newPath()
        try Files.makeDirectory(folder)
        defer { try? Files.removeTree(folder) }
        let answer = try ask(peer, [work, "\(count)", folder], environment)
        let last = answer.text.split(separator: "\n").last
        guard answer.isDone, let rate = last.flatMap({ Double($0) }) else {
            throw Workbench.Untrue(description: "\(peer) \(work): \(answer.text)")
        }
        return rate
    }

    private func script(_ peer: String) -> String { "\(bench.options.peers)/\(peer)_peer.py" }

    private func ask(
        _ peer: String, _ words: [String], _ environment: [String] = []
    ) throws -> (isDone: Bool, text: String) {
        let child: ChildProcess
        do {
            child = try ChildProcess.spawn(
                Spawn(
                    bench.options.python, ["-B", script(peer)] + words,
                    environment: ProcessIdentity.environment() + environment, output: .pipe,
                    errors: .sameAsOutput))
        } catch {
            return (false, "\(bench.options.python) is not installed: apt-get install python3")
        }
        var text: [UInt8] = []
        while let output = child.output {
            switch try output.read(atMost: 4096) {
            case .bytes(let more):
                text += more
                continue
            case .nothingYet:
                _ = try Poll.wait(
                    fds: [PollInterest(output.number)], timeoutMilliseconds: 300_000)
                continue
            case .end: break
            }
            break
        }
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 10_000)
        let said = String(decoding: text, as: UTF8.self)
        let lines = said.split(separator: "\n").map(String.init)
        return (try child.reap() == .code(0), lines.suffix(3).joined(separator: "\n"))
    }
}
