import SluiceC
import SluiceSystem
import Testing

@Suite("Child processes")
struct ChildProcessTests {
    private func shell(
        _ script: String, input: Spawn.Stream = .null, errors: Spawn.ErrorStream = .pipe,
        directory: String? = nil, inherited: [Spawn.Inherited] = []
    ) -> Spawn {
        Spawn(
            "sh", ["-c", script], environment: ["PATH=/usr/bin:/bin", "COLOUR=blue"],
            directory: directory, input: input, errors: errors, inherited: inherited)
    }

    @Test(
        "the exit of a child is its code or its signal",
        arguments: [
            ("exit 0", ChildProcess.Exit.code(0)), ("exit 7", .code(7)), ("exit 255", .code(255)),
            ("kill -TERM $$", .signal(.terminate)), ("kill -KILL $$", .signal(.kill)),
        ])
    func exits(script: String, exit: ChildProcess.Exit) throws {
        let child = try ChildProcess.spawn(shell(script))
        #expect(try Wait.exit(of: child) == exit)
        #expect(try child.reap() == exit)
        #expect(try child.signalGroup(.terminate) == false)
    }

    @Test("a child gets the environment, folder and streams it was given, and nothing else")
    func eligibility() throws {
        let script = """
            cat; echo " $COLOUR $(pwd -P) $(env | grep -c HOME)"; echo wrong >&2; \
            for f in /proc/$$/fd/*; do echo ${f##*/}; done
            """
        let leaked = try FileDescriptor(opening: "/dev/null", flags: 0)
        csys_set_close_on_exec(leaked.number, 0)
        let spare = Spawn.Inherited(leaked.number, as: 5)
        let child = try ChildProcess.spawn(
            shell(script, input: .pipe, directory: "/usr", inherited: [spare]))
        try child.input?.writeAll(Array("given".utf8))
        child.input?.close()
        let output = try child.output?.readAll(limitBytes: 4096) ?? []
        let errors = try child.errors?.readAll(limitBytes: 4096) ?? []
        // 3 is the folder that the shell itself reads to list the descriptors.
        let numbers = "0\n1\n2\n3\n5\n"
        #expect(String(decoding: output, as: UTF8.self) == "given blue /usr 0\n\(numbers)")
        #expect(String(decoding: errors, as: UTF8.self) == "wrong\n")
        #expect(try Wait.exit(of: child) == .code(0))
    }

    @Test("errors can go where the output goes, in order")
    func mergedErrors() throws {
        let child = try ChildProcess.spawn(
            shell("echo a; echo b >&2; echo c", errors: .sameAsOutput))
        let output = try child.output?.readAll(limitBytes: 100)
        #expect(output == Array("a\nb\nc\n".utf8))
        #expect(child.errors == nil)
        _ = try Wait.exit(of: child)
    }

    @Test("a child starts with default signals even where we ignore one")
    func signalsAreDefault() throws {
        SignalInbox.ignorePipeSignal()
        let script = "grep -E 'Sig(Ign|Blk)' /proc/self/status"
        let child = try ChildProcess.spawn(shell(script))
        let output = try child.output?.readAll(limitBytes: 4096) ?? []
        let sets = String(decoding: output, as: UTF8.self).split(separator: "\n")
        // From 32 on the signals are the C library's own.
        #expect(sets.map { UInt32($0.suffix(8), radix: 16).map { $0 & 0x7fff_ffff } } == [0, 0])
        _ = try Wait.exit(of: child)
    }

    @Test(
        "a signal to the group also ends the child's children, by identity or by object",
        arguments: [true, false])
    func groupSignal(byIdentity: Bool) throws {
        let child = try ChildProcess.spawn(shell("sleep 100 & echo $!; wait"))
        let grandchild = Int32(try Wait.line(from: child.output)) ?? 0
        let started = ProcessIdentity.startTime(of: grandchild)
        #expect(started != nil && started != 0)
        if byIdentity {
            let wrong = child.startTime + 1
            #expect(
                try !ChildProcess.signalGroup(
                    processID: child.processID, startTime: wrong, signal: .kill))
            #expect(
                try ChildProcess.signalGroup(
                    processID: child.processID, startTime: child.startTime, signal: .kill))
        } else {
            #expect(try child.signalGroup(.kill))
        }
        // The pipe ends when its last process ends.
        #expect(try child.output?.readAll(limitBytes: 100) == [])
        #expect(try Wait.exit(of: child) == .signal(.kill))
    }

    @Test("A3 a child that has ended says what goes on of its group, and by which name")
    func survivors() throws {
        let child = try ChildProcess.spawn(shell("sleep 100 & sleep 100 & echo $!; exit 3"))
        let last = Int32(try Wait.line(from: child.output)) ?? 0
        #expect(try Wait.exit(of: child) == .code(3))
        let survivors = try child.survivors()
        #expect(survivors.count == 2)
        #expect(survivors.contains { $0.processID == last })
        for survivor in survivors {
            #expect(try survivor.signal(.kill))
            _ = try Poll.wait(
                fds: [PollInterest(survivor.pidfd.number)], timeoutMilliseconds: 10_000)
        }
        #expect(try child.survivors().isEmpty)
    }

    @Test(
        "what cannot be started says why",
        arguments: [
            ("no-such-program", nil, "cannot run no-such-program: no such program in the folders"),
            ("/no/such", nil, "cannot run /no/such: no such file or directory"),
            ("/etc/passwd", nil, "cannot run /etc/passwd: permission denied"),
            ("sh", "/no/folder", "cannot enter the folder /no/folder: no such file or directory"),
            ("sh", "/etc/passwd", "cannot enter the folder /etc/passwd: "),
            ("sh\0", nil, "cannot run "),
        ])
    func refusals(program: String, directory: String?, sentence: String) {
        let error = #expect(throws: SystemError.self) {
            try ChildProcess.spawn(
                Spawn(program, environment: ["PATH=/usr/bin:/bin"], directory: directory))
        }
        #expect(error?.sentence.hasPrefix(sentence) == true, "\(error?.sentence ?? "")")
    }

    @Test("descriptors can change places")
    func swappedDescriptors() throws {
        let folder = try TemporaryFolder()
        try Files.writeAtomically(Array("one\n".utf8), to: folder.file("1"))
        try Files.writeAtomically(Array("two\n".utf8), to: folder.file("2"))
        let (one, two) = (
            try FileDescriptor(opening: folder.file("1"), flags: 0),
            try FileDescriptor(opening: folder.file("2"), flags: 0)
        )
        let numbers = [max(one.number, 3), max(two.number, 3)]
        let child = try ChildProcess.spawn(
            shell(
                "cat /proc/self/fd/\(numbers[1]) /proc/self/fd/\(numbers[0])",
                inherited: [
                    Spawn.Inherited(one.number, as: numbers[1]),
                    Spawn.Inherited(two.number, as: numbers[0]),
                ]))
        #expect(try child.output?.readAll(limitBytes: 100) == Array("one\ntwo\n".utf8))
        _ = try Wait.exit(of: child)
    }

    @Test("two hundred children, one after the other")
    func manyChildren() throws {
        let spawn = Spawn("/bin/true", environment: [], output: .null, errors: .null)
        let before = SystemClock.monotonicNanoseconds()
        var ended = 0
        for _ in 0..<200 where try Wait.exit(of: ChildProcess.spawn(spawn)) == .code(0) {
            ended += 1
        }
        let microseconds = (SystemClock.monotonicNanoseconds() - before) / 200_000
        print("200 children: \(microseconds) µs each from start to reaped")
        #expect(ended == 200)
    }
}
