package import SluiceModel
import SluiceSystem

/// The folder of one test, with a store, handlers and processes. Its deinit kills the processes and
/// removes the folder.
package final class Workplace: Sendable {
    /// The timeout of all waits, generous because the machine may be busy.
    package static let timeoutSeconds = 90
    /// The environment variable that marks all processes of the folder.
    static let mark = "SLUICE_TEST_FOLDER"

    package let path: String
    /// The store, in a separate folder, so that reading it does not wake waits for files.
    package let store: String
    /// The program under test.
    package let program: String
    private let started = Protected<[RunningProgram]>([])

    /// An empty folder; the store is not made yet.
    package init() throws {
        program = try BuiltProgram.path()
        path = try Files.makeTemporaryDirectory(prefix: "sluice-end-")
        try Files.makeDirectory("\(path)/store")
        store = "\(path)/store/app.db"
    }

    package static func withStore() throws -> Workplace {
        let place = try Workplace()
        try place.expecting(0, place.sluice(["init"]))
        return place
    }

    deinit {
        killAll()
        try? Files.removeTree(path)
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ text: String, to name: String, isProgram: Bool = false) throws {
        try Files.writeAtomically(
            Array(text.utf8), to: file(name), mode: isProgram ? 0o700 : 0o600)
    }

    /// Adds a line to a file in one write.
    package func append(_ line: String, to name: String) {
        let target = try? FileDescriptor(opening: file(name), flags: OpenFlags.append)
        try? target?.writeAll(Array(line.utf8))
    }

    package func makeFolder(_ name: String) throws { try Files.makeDirectory(file(name)) }

    /// The witnesses' log so far.
    package var testimony: Testimony { Testimony(text(Witness.log)) }

    /// Makes an empty file, which a handler waits for.
    package func touch(_ name: String) throws { try write("", to: name) }

    /// The text of a file; empty if it does not exist.
    package func text(_ name: String) -> String { Self.text(file(name)) }

    static func text(_ path: String) -> String {
        let bytes = (try? Files.read(path, limitBytes: 1 << 30)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Starts the program with words, the store of the folder as `$SLUICE_STORE`.
    package func start(
        _ words: [String], input: String = "", environment: [String] = []
    ) throws -> RunningProgram {
        try start(program, words, input: input, environment: environment)
    }

    /// Starts any program like ours. Its output wakes waits for files.
    package func start(
        _ program: String, _ words: [String], input: String = "", environment: [String] = []
    ) throws -> RunningProgram {
        try start(program, words, input: input, environment: environment, outputs: path)
    }

    private func start(
        _ program: String, _ words: [String], input: String, environment: [String],
        outputs folder: String
    ) throws -> RunningProgram {
        let number = started.withLock { $0.count } &+ 1
        var random = SystemRandom()
        let name = "\(folder)/run-\(number)-\(String(random.next(), radix: 36))"
        let (inputPath, outputPath, errorsPath) = ("\(name).in", "\(name).out", "\(name).err")
        try Files.writeAtomically(Array(input.utf8), to: inputPath)
        let source = try FileDescriptor(opening: inputPath, flags: OpenFlags.read)
        let output = try FileDescriptor(opening: outputPath, flags: OpenFlags.append)
        let errors = try FileDescriptor(opening: errorsPath, flags: OpenFlags.append)
        let child = try ChildProcess.spawn(
            Spawn(
                program, words, environment: base(adding: environment), directory: path,
                input: .descriptor(source.number), output: .descriptor(output.number),
                errors: .descriptor(errors.number)))
        let running = RunningProgram(
            child: child, words: words, outputPath: outputPath, errorsPath: errorsPath)
        started.withLock { $0.append(running) }
        return running
    }

    /// Runs the program to its end.
    @discardableResult
    package func sluice(
        _ words: [String], input: String = "", environment: [String] = []
    ) throws -> ProgramAnswer {
        // Write its output next to the store, so that waits can check it.
        let running = try start(
            program, words, input: input, environment: environment, outputs: "\(path)/store")
        let answer = try running.answer()
        started.withLock { all in all.removeAll { $0 === running } }
        return answer
    }

    /// Runs the program with `--json` and gives its JSON; throws unless it ends with 0.
    @discardableResult
    package func json(_ words: [String], input: String = "") throws -> JSONValue {
        try expecting(0, sluice(words + ["--json"], input: input)).json
    }

    /// The answer, where it ended with that code.
    @discardableResult
    package func expecting(_ code: Int32, _ answer: ProgramAnswer) throws -> ProgramAnswer {
        guard answer.code == code else {
            throw ProgramFailure.unexpected("exit code \(code) was expected", answer: answer)
        }
        return answer
    }

    private func base(adding: [String]) -> [String] {
        let kept = ["PATH", "HOME", "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "ASAN_OPTIONS"]
        let own = kept.compactMap { name in
            ProcessIdentity.environment(name).map { "\(name)=\($0)" }
        }
        return own + [
            "LANG=C.UTF-8", "SLUICE_USER=tester", "SLUICE_STORE=\(store)",
            "SLUICE_PROGRAM=\(program)", "\(Self.mark)=\(path)",
        ] + adding
    }
}

extension Workplace {
    /// Kills all processes started here, and their children.
    func killAll() {
        let mine = started.withLock { all -> [RunningProgram] in
            defer { all = [] }
            return all
        }
        for program in mine where program.isRunning {
            _ = try? program.child.signalGroup(.kill)
        }
        for program in mine { _ = try? program.answer(withinSeconds: 10) }
        let deadline = Deadline(seconds: 10)
        while !deadline.isOver {
            let left = processes()
            if left.isEmpty { return }
            kill(left)
        }
    }

    /// The live processes of this folder, including descendants.
    package func processes() -> [Int32] {
        ((try? Files.list("/proc")) ?? []).compactMap { Int32($0) }.filter(isOurs)
    }

    /// Whether a process is alive and descends from this folder's processes.
    package func isOurs(_ number: Int32) -> Bool {
        let mark = Array("\(Self.mark)=\(path)".utf8)
        guard let bytes = try? Files.read("/proc/\(number)/environ", limitBytes: 1 << 20)
        else { return false }
        return bytes.split(separator: 0).contains { $0.elementsEqual(mark) }
    }

    package func kill(_ numbers: [Int32]) {
        guard !numbers.isEmpty else { return }
        let shell = try? ChildProcess.spawn(
            Spawn(
                "sh", ["-c", "kill -9 \"$@\"", "sh"] + numbers.map(String.init),
                environment: ["PATH=/usr/bin:/bin"], output: .null, errors: .null))
        guard let shell else { return }
        _ = try? Poll.wait(
            fds: [PollInterest(shell.pidfd.number)], timeoutMilliseconds: 5000)
        _ = try? shell.reap()
    }
}

/// Common steps of the tests.
extension Workplace {
    /// Enqueues tasks for the witness, one for each payload, in one commit; gives their ids.
    package func enqueue(_ queue: String, payloads: [String]) throws -> [Int64] {
        let lines = payloads.map { #"{"type":"job","payload":\#($0)}"# + "\n" }.joined()
        let answer = try json(["enqueue", queue, "--jsonl", "-"], input: lines)
        return answer["ids"]?.array?.compactMap(\.integer) ?? []
    }

    /// Enqueues tasks without anything in their payloads.
    package func enqueue(_ queue: String, count: Int) throws -> [Int64] {
        try enqueue(queue, payloads: Array(repeating: "{}", count: count))
    }

    /// The state of a queue, as JSON.
    package func queue(_ name: String) throws -> JSONValue {
        try json(["queues"])["queues"]?.array?.first { $0["name"]?.string == name } ?? .null
    }

    /// How many tasks of a queue are in a state.
    package func count(_ queue: String, _ state: String) throws -> Int64 {
        try self.queue(queue)["counts"]?[state]?.integer ?? -1
    }

    /// Whether no task of a queue waits or runs, by one answer: two answers of two moments miss a
    /// task that goes from the one state to the other between them.
    package func isWorkedOff(_ queue: String) throws -> Bool {
        let counts = try self.queue(queue)["counts"]
        return counts?["waiting"]?.integer == 0 && counts?["running"]?.integer == 0
    }

    /// The ids of a list, page by page.
    package func list(_ words: [String]) throws -> [Int64] {
        var ids: [Int64] = []
        while true {
            let after = ids.last.map { ["--after", "\($0)"] } ?? []
            let answer = try json(["list"] + words + ["--limit", "20000"] + after)
            ids += answer["tasks"]?.array?.compactMap { $0["id"]?.integer } ?? []
            guard answer["more"] == true else { return ids }
        }
    }
}

/// Waiting for what processes do: woken by files and commits, never by a timer.
extension Workplace {
    /// Waits until a condition holds. Checks it after each file change in the folder and each
    /// commit to the store. With `isPolled` it checks every millisecond, for `/proc`. Changes
    /// within `burstMilliseconds` count as one.
    package func wait(
        for what: String, seconds: Int = timeoutSeconds, isPolled: Bool = false,
        burstMilliseconds: Int = 2, until condition: () throws -> Bool
    ) throws {
        let deadline = Deadline(seconds: seconds)
        let files = try DirectoryWatch(path)
        let commits = Files.exists("\(store)-run") ? try DirectoryWatch("\(store)-run") : nil
        while true {
            if try condition() { return }
            guard !deadline.isOver else {
                throw ProgramFailure.timedOut(what, seconds: seconds, known: scene())
            }
            let left = deadline.leftMilliseconds
            let waits = files.interests + (commits?.interests ?? [])
            _ = try Poll.wait(fds: waits, timeoutMilliseconds: isPolled ? min(left, 1) : left)
            if !isPolled { _ = try Poll.wait(fds: [], timeoutMilliseconds: burstMilliseconds) }
            _ = try files.drain()
            _ = try commits?.drain()
        }
    }

    /// The content of the folder, for a failure message.
    private func scene() -> String {
        let errors = ((try? Files.list(path)) ?? []).filter { $0.hasSuffix(".err") }
        let said = errors.map { text($0) }.joined().suffix(2000)
        let log = text(Witness.log).split(separator: "\n").suffix(10).joined(separator: "\n")
        let queues = (try? sluice(["queues", "--json"]).output) ?? ""
        let tasks = (try? sluice(["list", "--json", "--limit", "3"]).output) ?? ""
        return "\(said)\n\(log)\n\(queues)\(tasks)"
    }

    /// Sleeps, to check that nothing happens.
    package static func rest(seconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: seconds * 1000)
    }

    /// Runs a test's body on a separate thread, so that blocking calls do not delay other tests.
    package static func onOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try Thread(name: "test") {
                    continuation.resume(with: Result { try body() })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
