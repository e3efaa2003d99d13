import SluiceSystem
import SluiceTestSupport
import Testing

/// `make install` into a folder, as a package build does.
@Suite("end to end: installed", .serialized)
struct InstallTests {
    private static let root = Project.folder

    private func make(_ place: Workplace, _ target: String) throws {
        let words = [
            "--no-print-directory", "-C", Self.root, target, "PREFIX=/usr",
            "DESTDIR=\(place.file("there"))", "PROGRAM=\(try BuiltProgram.path())",
        ]
        try place.expecting(0, try place.start("make", words).answer())
    }

    private func files(_ place: Workplace) throws -> [String] {
        let found = try place.start("find", [place.file("there"), "-type", "f", "-printf", "%P\n"])
            .answer()
        return found.output.split(separator: "\n").map(String.init).sorted()
    }

    @Test("make install puts every file in its place, and make uninstall takes all of them away")
    func files() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try self.make(place, "install")
            let manual = [
                "man1/sluice-debugger.1", "man1/sluice-look.1", "man1/sluice-queues.1",
                "man1/sluice-store.1", "man1/sluice-tasks.1", "man1/sluice.1",
                "man5/sluice-handlers.5", "man7/sluice-filter.7",
            ]
            let wanted =
                ["usr/bin/sluice", "usr/share/bash-completion/completions/sluice"]
                + ["usr/share/fish/vendor_completions.d/sluice.fish"]
                + manual.map { "usr/share/man/\($0)" } + ["usr/share/zsh/site-functions/_sluice"]
                + ["usr/lib/systemd/system/sluice-work.service", "usr/lib/sysusers.d/sluice.conf"]
            let found = try self.files(place)
            #expect(found == wanted.sorted())
            for page in manual {
                let path = place.file("there/usr/share/man/\(page)")
                let checked = try place.start(
                    "groff", ["-man", "-Tutf8", "-ww", "-rCHECKSTYLE=3", "-z", path]
                ).answer()
                #expect(checked.code == 0 && checked.errors.isEmpty, "\(page): \(checked)")
            }
            let shown = try place.start(
                "groff", ["-man", "-Tascii", place.file("there/usr/share/man/man1/sluice.1")]
            ).answer()
            #expect(shown.output.contains("run exactly one task although the queue is paused"))
            let unit = place.text("there/usr/lib/systemd/system/sluice-work.service")
            #expect(unit.contains("\nExecStart=/usr/bin/sluice work "))
            #expect(!unit.contains("@PREFIX@"))
            try self.make(place, "uninstall")
            let left = try self.files(place)
            #expect(left.isEmpty)
        }
    }

    @Test("the shells complete by the installed files, at the first Tab", arguments: Shell.all)
    func completions(_ shell: Shell) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try self.make(place, "install")
            let there = place.file("there/usr")
            let session = try TerminalSession(
                shell.name, shell.words,
                environment: [
                    "HOME=\(place.path)", "HISTFILE=/dev/null", "XDG_DATA_DIRS=\(there)/share",
                    "PATH=\(there)/bin:/usr/bin:/bin",
                ], directory: place.path, columns: 120)
            try session.send(shell.setUp(there) + "\r")
            try session.wait(forText: "ready> ", timeoutSeconds: 60)
            try session.send("sluice unski\t")
            try session.wait(forText: "ready> sluice unskip", timeoutSeconds: 60)
        }
    }

    /// A shell that loads the installed completion.
    struct Shell: Sendable, CustomTestStringConvertible {
        var name: String
        var words: [String]
        var setUp: @Sendable (_ there: String) -> String
        var testDescription: String { name }

        static let all = [
            Shell(name: "bash", words: ["--norc", "--noprofile", "-i"]) { there in
                ". \(there)/share/bash-completion/completions/sluice; PS1='ready'\"> \""
            },
            Shell(name: "zsh", words: ["-f", "-i"]) { there in
                "fpath=(\(there)/share/zsh/site-functions $fpath); autoload -U compinit; "
                    + "compinit -u -D; PS1='ready'\"> \""
            },
            Shell(name: "fish", words: ["-i"]) { _ in
                "function fish_prompt; echo -n 'ready''> '; end"
            },
        ]
    }
}
