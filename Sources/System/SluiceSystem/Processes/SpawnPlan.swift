import Glibc
import SluiceC

/// The descriptors of a child before it starts: the child's ends, and the ends that stay here.
struct SpawnPlan {
    private(set) var input: FileDescriptor?
    private(set) var output: FileDescriptor?
    private(set) var errors: FileDescriptor?
    private var copies: [csys_descriptor_copy] = []
    /// The child's ends, closed with the plan after the start.
    private var childEnds: [FileDescriptor] = []
    private let highest: Int32

    init(_ spawn: Spawn) throws(SystemError) {
        highest = max(2, spawn.inherited.map(\.number).max() ?? 2)
        if case .session = spawn.group {
            add(0, as: 1)
            add(0, as: 2)
        } else {
            try addStreams(spawn)
        }
        for one in spawn.inherited { try addClear(one.descriptor, as: one.number) }
        let used = Set(spawn.inherited.map(\.number))
        for number in 3..<(highest + 1) where !used.contains(number) {
            add(-1, as: number)
        }
    }

    /// Starts the program; nothing of it remains when that fails.
    func start(_ path: String, _ spawn: Spawn) throws(SystemError) -> Int32 {
        let texts = [path, spawn.program, spawn.directory ?? ""] + spawn.arguments
        if (texts + spawn.environment).contains(where: { $0.utf8.contains(0) }) {
            throw SystemError(.spawn, path: path, reason: .zeroByte)
        }
        let arguments = CStringArray([spawn.program] + spawn.arguments)
        let environment = CStringArray(spawn.environment)
        let terminal: String? =
            if case .session(let terminal) = spawn.group { terminal } else { nil }
        let names = CStringArray([path, spawn.directory ?? "", terminal ?? ""])
        var processID: Int32 = 0
        let code = copies.withUnsafeBufferPointer { copies -> Int32 in
            guard let program = names.pointers[0] else { return ENOMEM }
            var request = csys_spawn_request(
                path: program,
                arguments: arguments.pointers, environment: environment.pointers,
                directory: spawn.directory == nil ? nil : names.pointers[1],
                terminal: terminal == nil ? nil : names.pointers[2],
                copies: copies.baseAddress, copy_count: copies.count,
                close_from: highest + 1,
                new_group: spawn.group == .own ? 1 : 0, new_session: terminal == nil ? 0 : 1,
                descriptor_limit: DescriptorLimit.ofChildren)
            return csys_spawn(&request, &processID)
        }
        guard code == 0 else { throw Self.error(code, path, spawn) }
        return processID
    }

    private mutating func addStreams(_ spawn: Spawn) throws(SystemError) {
        input = try addStream(spawn.input, as: 0)
        output = try addStream(spawn.output, as: 1)
        switch spawn.errors {
        case .sameAsOutput: add(1, as: 2)
        case .null: errors = try addStream(.null, as: 2)
        case .pipe: errors = try addStream(.pipe, as: 2)
        case .descriptor(let number): errors = try addStream(.descriptor(number), as: 2)
        }
    }

    private mutating func addStream(
        _ stream: Spawn.Stream, as number: Int32
    ) throws(SystemError) -> FileDescriptor? {
        switch stream {
        case .null:
            let null = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
            childEnds.append(null)
            try addClear(null.number, as: number)
            return nil
        case .descriptor(let own):
            try addClear(own, as: number)
            return nil
        case .pipe:
            var ends: [Int32] = [-1, -1]
            guard csys_pipe2(&ends, 0) == 0 else { throw .last(.pipe) }
            let (read, write) = (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
            let (ours, theirs) = number == 0 ? (write, read) : (read, write)
            try ours.setNonBlocking(true)
            childEnds.append(theirs)
            try addClear(theirs.number, as: number)
            return ours
        }
    }

    /// Adds a copy from a number that no copy before it overwrites.
    private mutating func addClear(_ from: Int32, as number: Int32) throws(SystemError) {
        guard from <= highest else { return add(from, as: number) }
        let clear = csys_duplicate_above(from, highest + 1)
        guard clear >= 0 else { throw .last(.spawn, path: "descriptor \(from)") }
        childEnds.append(FileDescriptor(owning: clear))
        add(clear, as: number)
    }

    private mutating func add(_ from: Int32, as number: Int32) {
        copies.append(csys_descriptor_copy(from: from, to: number))
    }

    /// Says which part was wrong where the system gives only one number for all of them.
    private static func error(_ code: Int32, _ path: String, _ spawn: Spawn) -> SystemError {
        if let directory = spawn.directory, access(directory, X_OK) != 0 {
            return .last(.changeDirectory, path: directory)
        }
        if let directory = spawn.directory, Files.kind(directory) != .folder {
            return SystemError(.changeDirectory, path: directory, reason: .code(ENOTDIR))
        }
        return SystemError(.spawn, path: path, reason: .code(code))
    }
}

/// A list of C strings that lives as long as this object.
private final class CStringArray {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() {
            (pointers + index).initialize(to: strdup(text))
        }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
