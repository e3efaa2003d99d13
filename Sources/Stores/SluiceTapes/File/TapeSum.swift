import SluiceModel

/// The checksum of a line: its last field, over the bytes before it. It reveals an edited line.
package enum TapeSum {
    private static let mark = Array(",\"sum\":\"".utf8)
    private static let digits = 16

    /// Adds a line of JSON, an object that is not empty, with its sum.
    package static func seal(_ line: String, into bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += line.utf8
        bytes.removeLast()
        let sum = hexadecimal(Fingerprint(of: bytes[start...]).value)
        bytes += mark
        bytes += sum
        bytes += "\"}\n".utf8
    }

    /// Whether a line ends with the sum that it has.
    static func fits(_ line: [UInt8]) -> Bool {
        let end = line.last == UInt8(ascii: "\n") ? line.count - 1 : line.count
        let start = end - mark.count - digits - 2
        guard start > 0, line[start..<start + mark.count].elementsEqual(mark) else { return false }
        let sum = hexadecimal(Fingerprint(of: line[..<start]).value)
        return line[start + mark.count..<end].elementsEqual(sum + "\"}".utf8)
    }

    /// A line, without its end, as it was before it got its sum.
    package static func opened(_ line: String) -> String {
        "\(String(decoding: line.utf8.dropLast(mark.count + digits + 2), as: UTF8.self))}"
    }

    /// The message for an edited line.
    static func misfit(line: Int) -> String { "line \(line) does not fit its sum" }

    private static func hexadecimal(_ value: UInt64) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<16).map { digits[Int(value >> (60 - 4 * UInt64($0)) & 15)] }
    }
}
