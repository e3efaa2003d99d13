import SluiceModel
import SluiceSystem
import Testing

/// The built program, if it exists.
private enum Built {
    static let path: String? = {
        guard let own = try? ProcessIdentity.executablePath() else { return nil }
        let folder = Files.parent(of: own)
        return ["\(folder)/sluice", "\(folder)/SluiceCommand"].first { Files.exists($0) }
    }()
}

@Suite("The built program", .enabled(if: Built.path != nil))
struct ProgramTests {
    /// Runs a shell script in a separate folder with the program as `sluice`.
    private func shell(_ script: String) throws -> (output: String, exit: ChildProcess.Exit?) {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-command")
        defer { try? Files.removeTree(folder) }
        let head =
            "mkdir bin; ln -s '\(Built.path ?? "")' bin/sluice; PATH=$PWD/bin:$PATH; exec 2>&1\n"
        let path = ProcessIdentity.environment("PATH") ?? "/usr/bin:/bin"
        var plan = Spawn(
            "/bin/bash", ["-c", head + script],
            environment: ["PATH=\(path)", "SLUICE_USER=dana", "HOME=\(folder)"])
        plan.directory = folder
        let child = try ChildProcess.spawn(plan)
        let output = try child.output?.readAll(limitBytes: 1 << 20) ?? []
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 20_000)
        return (String(decoding: output, as: UTF8.self), try child.reap())
    }

    static let scripts: [(script: String, output: String)] = [
        (
            "sluice list; echo $?",
            """
            sluice: there is no store at ./sluice.db; make one with sluice init ./sluice.db, \
            or name one with --store or $SLUICE_STORE
            2
            """
        ),
        (
            "touch shop.db 'my shop.db'; sluice list",
            """
            sluice: there is no store at ./sluice.db; make one with sluice init ./sluice.db, \
            or name one with --store or $SLUICE_STORE: 'my shop.db', shop.db are there
            """
        ),
        (
            "sluice init --quiet; sluice init; ls -l sluice.db | cut -c1-10",
            """
            is there already: ./sluice.db, sqlite, durability full
            -rw-------
            """
        ),
        (
            "sluice enqueue q t --json; sluice list --json | grep -c '\"display\":\"next\"'",
            """
            {"ids":[1],"created":"q"}
            1
            """
        ),
        (
            "echo '{\"type\":\"a\"}' | sluice enqueue q --jsonl - --quiet; echo $?; "
                + "printf x | sluice enqueue q t --payload-file - --json",
            "0\n{\"ids\":[2],\"created\":null}"
        ),
        (
            "sluice init s.db --durability normal --json; sluice queues --store s.db",
            """
            {"store":"s.db","kind":"sqlite","created":true,"durability":"normal",\
            "journalBytes":268435456,"checkpointBytes":268435456}
            no queue yet: sluice enqueue QUEUE TYPE [PAYLOAD] makes one
            """
        ),
        (
            "sluice </dev/null | cat; echo ${PIPESTATUS[0]}",
            """
            sluice: the console needs a terminal; use sluice list, sluice queues or sluice watch
            2
            """
        ),
        (
            "sluice enqueue q t --quiet; sluice skip 1 --read-only; echo $?",
            """
            sluice: ./sluice.db is open for reading only, so nothing was changed; \
            open it without --read-only
            1
            """
        ),
        (
            "echo text > f; sluice list --store f; echo $?; cat f",
            """
            sluice: f is not an SQLite file; name another path: sluice init PATH makes a store
            2
            text
            """
        ),
    ]

    @Test("the program reads its words, its environment and its streams", arguments: scripts)
    func runs(_ script: String, _ output: String) throws {
        let found = try shell(script).output
        #expect(found == output + "\n")
    }

    private static let handlers = """
        cat > h.json <<'X'
        {"handlers":{"ok":{"simulate":{}},"bad":{"simulate":{"fail":9,"error":"boom"}},
        "slow":{"command":["/bin/sleep","5"]}}}
        X

        """

    static let driven: [(script: String, output: String)] = [
        (
            "sluice enqueue q ok --quiet; sluice enqueue q bad --quiet; sluice pause q --quiet\n"
                + "sluice step q --handlers h.json --json | cut -d: -f1-6; echo ${PIPESTATUS[0]}\n"
                + "sluice step q --handlers h.json --check >/dev/null; echo $?\n"
                + "sluice step q --handlers h.json > /dev/null; echo $?",
            """
            {"stepped":[{"id":1,"type":"ok","outcome":"success","error":null,"milliseconds"
            0
            1
            1
            """
        ),
        (
            "for i in 1 2 3; do sluice enqueue q ok --quiet; done; sluice pause q --quiet\n"
                + "sluice run q --handlers h.json --until 'count 2' --json"
                + " | grep -o '\"run\":{[^}]*}'",
            """
            "run":{"state":"ended","attempted":2,"left":1}
            """
        ),
        (
            "sluice enqueue q ok --quiet; sluice enqueue q ok --quiet\n"
                + "sluice work --handlers h.json --until-empty --json | grep -c success; "
                + "echo ${PIPESTATUS[0]}; sluice list q", "2\n0\nno such tasks in q"
        ),
        (
            "sluice enqueue q ok --quiet; sluice step q; echo $?",
            """
            nothing could start
              no worker is attached  (sluice work --handlers FILE)
            1
            """
        ),
        (
            "sluice enqueue q slow --quiet\nsluice work --handlers h.json >/dev/null 2>&1 & \n"
                + "until sluice list --state running --json | grep -q '\"id\":1'; do :; done\n"
                + "kill -TERM %1; kill -INT %1; wait %1; echo $?; sluice list q --json "
                + "| grep -o '\"attempts\":0'", "0\n\"attempts\":0"
        ),
        (
            "sluice enqueue q slow --quiet\nsluice work --handlers h.json >/dev/null 2>&1 & \n"
                + "until sluice list --state running --json | grep -q '\"id\":1'; do :; done\n"
                + "kill -KILL %1; wait %1 2>/dev/null; sluice run q 2>&1 | cut -d';' -f1; "
                + "sluice show 1 --json | grep -o '\"losses\":1'",
            "sluice: no worker is attached that serves q\n\"losses\":1"
        ),
        (
            "for i in 1 2 3 4; do sluice enqueue m ok --quiet; done\n"
                + "sluice queue set m --start manual --quiet\n"
                + "sluice step m -n 2 --handlers h.json | tail -2; sluice list m | wc -l\n"
                + "sluice run m --handlers h.json --json | grep -o '\"run\":{[^}]*}'",
            """
            the run is open after 2 attempts, 2 left waiting
            next: #3
            3
            "run":{"state":"ended","attempted":4,"left":0}
            """
        ),
    ]

    @Test("steps, runs and work execute here with a handlers file", arguments: driven)
    func drives(_ script: String, _ output: String) throws {
        let found = try shell(Self.handlers + script).output
        #expect(found == output + "\n")
    }

    @Test("bash completes verbs, options, values and queues")
    func bash() throws {
        let script = """
            sluice enqueue profiles t --quiet
            eval "$(sluice completion bash)"
            ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
                COMP_POINT=${#COMP_LINE}; _sluice; echo ${COMPREPLY[@]}; }
            ask sluice queu; ask sluice pause pro; ask sluice pause --dir
            ask sluice queue set q --order ''
            """
        let found = "queue queues\nprofiles\n--direction\nfifo lifo priority key\n"
        #expect(try shell(script).output == found)
    }

    @Test("watch and log --follow tell of the changes of another process")
    func follows() throws {
        let script = """
            sluice enqueue q t --quiet
            sluice log --follow --json -n 1 > log & watcher=$!
            until [ -s log ]; do :; done
            sluice pause q --quiet
            until grep -q paused log; do :; done
            kill $watcher; wait $watcher 2>/dev/null; cut -d, -f3 log
            """
        #expect(try shell(script).output == "\"kind\":\"enqueue\"\n\"kind\":\"pause\"\n")
    }

    @Test("CIO-109 log --follow --detail tells of a run while it goes on")
    func followsClosely() throws {
        let script = """
            sluice queue set q --preset customer-io --batch-count 2 --quiet
            sluice log --follow --detail --json -n 1 > log & watcher=$!
            until [ -s log ]; do :; done
            echo '{"handlers":{"*":{"simulate":{}}}}' > handlers.json
            for n in 1 2; do
                sluice enqueue q t --quiet
                until [ $(grep -c enqueue log) = $n ]; do :; done
            done
            sluice run q --handlers handlers.json > run
            until grep -q runLeft log; do :; done
            kill $watcher; wait $watcher 2>/dev/null
            sed 's/.*"kind":"\\([a-zA-Z]*\\)".*/\\1/' log | tr '\\n' ' '
            """
        let told = try shell(script).output
        #expect(
            told == "queueSet enqueue runTimer enqueue runDue run started success started success "
                + "runEnded runLeft ")
    }
}
