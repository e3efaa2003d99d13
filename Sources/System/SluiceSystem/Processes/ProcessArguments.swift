import Glibc
import SluiceC

/// The arguments of this process: bytes, usually texts.
package enum ProcessArguments {
    /// All of them, the program's own name first.
    package static var all: [[UInt8]] {
        (0..<csys_word_count()).map { index in
            let word = csys_word(index)
            return Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
        }
    }

    /// Writes a text over a word where everybody on the machine can read it; no longer than it was.
    package static func replace(_ index: Int, with text: String) {
        csys_replace_word(Int32(index), text)
    }
}
