import Testing

extension ConsoleSoak {
    /// The judge of the bytes itself.
    @Suite("byte watch")
    struct ByteWatchTests {
        @Test(
            "the watch finds what is not the console's own",
            arguments: [
                "\u{1b}[31mEVIL", "\u{1b}]0;pwn\u{7}", "a\u{7}", "\u{9b}31m", "\u{202e}", "\u{1b}c",
                "\u{1b}P+q", "\0",
            ])
        func finds(text: String) {
            var watch = ByteWatch()
            watch.examine("\u{1b}[38;5;245m" + text + " and more")
            #expect(!watch.foreign.isEmpty)
        }

        @Test("the watch lets the console's own pass")
        func passes() {
            var watch = ByteWatch()
            watch.examine("\u{1b}]52;c;Zm9v\u{7}\u{1b}[?25l\u{1b}(B\u{1b}[m\u{8}\r\n")
            #expect(watch.foreign.isEmpty)
        }
    }
}
