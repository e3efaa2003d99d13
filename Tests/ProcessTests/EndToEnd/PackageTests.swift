import SluiceSystem
import SluiceTestSupport
import Testing

/// The package for other machines, without a release build. A small program that loads SQLite and
/// executes ours replaces it.
@Suite("end to end: packed", .serialized)
struct PackageTests {
    private static let root = Project.folder

    private func makeProgram(_ place: Workplace, in folder: String) throws -> String {
        try place.makeFolder(folder)
        try place.write(
            """
            #include <stdlib.h>
            #include <unistd.h>
            __attribute__((section(".sluice_build"), used)) static const char build[64] = {0};
            int main(int count, char **words) { return execv(getenv("SLUICE_PROGRAM"), words); }
            """, to: "\(folder)/stub.c")
        let path = place.file("\(folder)/sluice")
        let words = [
            "-g", "-o", path, place.file("\(folder)/stub.c"), "-Wl,--no-as-needed", "-lsqlite3",
        ]
        try place.expecting(0, try place.start("clang", words).answer())
        return path
    }

    /// Packs it at another umask and time zone each; gives the answer.
    private func pack(
        _ place: Workplace, _ kind: String, program: String, umask: String
    ) throws -> ProgramAnswer {
        let script = #"umask \#(umask); exec "$0" "$@""#
        let words = [
            "-c", script, "\(Self.root)/packaging/package.sh", kind, program,
            place.file("packed-\(umask)"),
        ]
        return try place.start(
            "sh", words,
            environment: [
                "SOURCE_DATE_EPOCH=1700000000", "DEBFULLNAME=Kim", "DEBEMAIL=kim@example.com",
                "TZ=Pacific/Kiritimati",
            ]
        ).answer()
    }

    private func said(_ place: Workplace, _ program: String, _ words: [String]) throws -> String {
        try place.expecting(0, try place.start(program, words).answer()).output
    }

    @Test("a Debian package says its version and needs, and has the same bytes from two folders")
    func deb() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let packages = try [("one", "022"), ("two/", "077")].map { folder, umask in
                let program = try self.makeProgram(place, in: folder)
                let answer = try self.pack(place, "deb", program: program, umask: umask)
                return try place.expecting(0, answer).output.trimmed
            }
            let bytes = try packages.map { try Files.read($0, limitBytes: 1 << 26) }
            #expect(bytes[0] == bytes[1])
            let control = try self.said(place, "dpkg-deb", ["-f", packages[0]])
            let version = try place.sluice(["version"]).output.trimmed.dropFirst("sluice ".count)
            #expect(control.hasPrefix("Package: sluice-debugger\n"))
            // Debian has a package sluice, which is another program.
            #expect(control.contains("\nConflicts: sluice\n"))
            #expect(packages.allSatisfy { $0.contains("/sluice-debugger_\(version)_") })
            #expect(control.contains("\nVersion: \(version)"))
            #expect(control.contains("\nMaintainer: Kim <kim@example.com>\n"))
            #expect(control.contains("libsqlite3-0") && control.contains("\nRecommends: libcurl4"))
            #expect(control.matches(of: /@[A-Z]+@/).isEmpty, "a place is not filled in")
            let listed = try self.said(place, "dpkg-deb", ["-c", packages[0]])
            for file in [
                "usr/bin/sluice", "usr/share/man/man1/sluice.1.gz",
                "usr/share/zsh/vendor-completions/_sluice",
                "usr/share/doc/sluice-debugger/changelog.gz",
                "usr/share/doc/sluice-debugger/copyright",
                "usr/lib/systemd/system/sluice-work.service",
            ] {
                #expect(listed.contains(" ./\(file)\n"), "\(file)")
            }
            #expect(listed.contains(" ./usr/share/doc/sluice-debugger/docs/rules.md\n"))
            #expect(!listed.contains("site-functions"))
        }
    }

    @Test("an archive is refused whose program loads what is not everywhere, and that is named")
    func tarball() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let program = try self.makeProgram(place, in: "one")
            let answer = try self.pack(place, "tarball", program: program, umask: "022")
            #expect(answer.code == 1)
            #expect(answer.errors.contains("loads libsqlite3.so.0: install libsqlite3-dev"))
            #expect(try Files.list(place.file("packed-022")).isEmpty)
        }
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: "\n").joined() }
}
