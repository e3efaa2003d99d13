/// One line of a request's head, checked: nothing in it can end the line or the head.
package struct HTTPHeader: Hashable, Sendable {
    /// The reason for rejecting a header; it never contains the value.
    package enum Fault: Error, Hashable, Sendable {
        /// The name is not made of letters, digits and the signs that HTTP allows.
        case badName(String)
        /// The program sets it itself.
        case reserved(String)
        /// The value of that name holds a control character.
        case badValue(String)

        package var sentence: String {
            switch self {
            case .badName(let name): "\"\(name)\" is no name of a header"
            case .reserved(let name): "the header \(name) is not for you to set"
            case .badValue(let name): "the value of the header \(name) holds a control character"
            }
        }
    }

    /// Headers that frame a message or belong to one connection.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    /// Headers that do not identify the client, so a redirect may send them to another server.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "content-encoding", "content-language",
        "content-type", "if-range", "range", "user-agent",
    ]

    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) throws(Fault) {
        let signs = "!#$%&'*+-.^_`|~".utf8
        let isName = name.utf8.allSatisfy { byte in
            signs.contains(byte) || Character(UnicodeScalar(byte)).isASCIIWord
        }
        guard !name.isEmpty, isName else { throw .badName(name) }
        guard !Self.reserved.contains(name.lowercased()) else { throw .reserved(name) }
        let isValue = value.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 }
        guard isValue else { throw .badValue(name) }
        self.name = name
        self.value = value
    }

    /// The key for comparisons: header names ignore case.
    package var key: String { name.lowercased() }

    /// Whether it may go to another server than the one it was meant for.
    var isHarmless: Bool { Self.harmless.contains(key) }

    /// Whether it speaks of the request's body.
    var isOfBody: Bool { key.hasPrefix("content-") }

    /// The line in libcurl's format: a semicolon means an empty value.
    var line: String {
        value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)"
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
