import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("end to end: the words of a command")
struct ArgumentTests {
    @Test("the help of a verb names every key of its JSON", arguments: ["compact", "doctor"])
    func keys(_ verb: String) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let help = try place.expecting(0, place.sluice(["help", verb])).output
            let keys = try place.json([verb]).object?.keys ?? []
            #expect(keys.count > 3)
            for key in keys { #expect(help.contains("\"\(key)\""), "\(verb): \(key)") }
        }
    }

    @Test("T1 T6 a payload that is no UTF-8 is kept byte for byte, a name is refused")
    func bytes() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let script = """
                a="$(printf 'a\\377')"; b="$(printf 'a\\376')"
                "$SLUICE_PROGRAM" enqueue q t "$a" --client-string "$b" --session s || exit 9
                for name in "$a" "$b"; do
                    "$SLUICE_PROGRAM" enqueue "$name" t; echo $?
                    "$SLUICE_PROGRAM" enqueue q "$name"; echo $?
                done
                SLUICE_STORE="$a.db" "$SLUICE_PROGRAM" queues; echo $?
                """
            let answer = try place.expecting(
                0, place.start("sh", ["-c", script]).answer())
            #expect(answer.output.split(separator: "\n").suffix(5) == ["2", "2", "2", "2", "2"])
            let task = try place.json(["show", "1"])
            #expect(task["payloadBase64"]?.string.flatMap(Base64.decode) == [0x61, 0xFF])
            #expect(task["clientStringBase64"]?.string.flatMap(Base64.decode) == [0x61, 0xFE])
            #expect(try place.json(["queues"])["queues"]?.array?.count == 1)
        }
    }

    @Test("a preloaded library that changes the environment takes no word away")
    func preloaded() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let source = """
                #include <stdlib.h>
                __attribute__((constructor)) static void add(void) {
                    for (int i = 0; i < 100; i++) setenv("ADDED", "x", 1);
                    setenv("ADDED_TOO", "y", 1);
                }
                """
            try place.write(source, to: "pre.c")
            let compiled = try place.start(
                "clang", ["-shared", "-fPIC", "-o", place.file("pre.so"), place.file("pre.c")])
            try place.expecting(0, compiled.answer())
            let preload = ["LD_PRELOAD=\(place.file("pre.so"))"]
            let made = try place.sluice(["enqueue", "q", "t", "{}"], environment: preload)
            try place.expecting(0, made)
            let seen = try place.sluice(["list", "q", "--json"], environment: preload)
            #expect(seen.json["tasks"]?.array?.count == 1, "\(seen)")
            let version = try place.sluice(["version"], environment: preload)
            #expect(version.code == 0 && version.output.hasPrefix("sluice "), "\(version)")
        }
    }
}
