import SluiceSystem

/// A header of a handlers file. In its value, `${NAME}` is an environment variable and
/// `${file:PATH}` the content of a file.
///
/// Both are read at the start of an attempt and last as long as the attempt.
struct HeaderTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case variable(String)
    }

    /// Why a header is not sent.
    enum Fault: Error, Hashable {
        case header(HTTPHeader.Fault)
        case unclosed
        case badVariable(String)
        case unset(String)

        /// The error, without any value.
        var sentence: String {
            switch self {
            case .header(let fault): fault.sentence
            case .unclosed: "a \"${\" has no \"}\""
            case .badVariable(let name): "\"${\(name)}\" names no variable and no file"
            case .unset(let name): "the environment has no \(name)"
            }
        }
    }

    /// The prefix of a file's path.
    static let filePrefix = "file:"

    let name: String
    let pieces: [Piece]

    init(_ name: String, _ text: String) throws(Fault) {
        pieces = try Self.pieces(of: text)
        self.name = name
        let sample = pieces.map { if case .text(let text) = $0 { text } else { "" } }
        _ = try Self.header(name, sample.joined())
    }

    /// The header with the values of these variables.
    func header(_ environment: [String: String]) throws(Fault) -> HTTPHeader {
        var value = ""
        for piece in pieces {
            switch piece {
            case .text(let text): value += text
            case .variable(let name):
                guard let found = environment[name] else { throw .unset(name) }
                value += found
            }
        }
        return try Self.header(name, value)
    }

    /// The required variables; files include their prefix.
    var variables: [String] {
        pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }

    private static func header(_ name: String, _ value: String) throws(Fault) -> HTTPHeader {
        do throws(HTTPHeader.Fault) {
            return try HTTPHeader(name, value)
        } catch {
            throw .header(error)
        }
    }

    private static func pieces(of text: String) throws(Fault) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            if start.lowerBound > rest.startIndex {
                pieces.append(.text(String(rest[..<start.lowerBound])))
            }
            let tail = rest[start.upperBound...]
            guard let end = tail.firstIndex(of: "}") else { throw .unclosed }
            let name = String(tail[..<end])
            let isName = name.utf8.enumerated().allSatisfy { place, byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): place > 0
                default: false
                }
            }
            let isFile = name.hasPrefix(filePrefix) && name != filePrefix
            guard isFile || isName && !name.isEmpty else { throw .badVariable(name) }
            pieces.append(.variable(name))
            rest = tail[tail.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }
}
