import SluiceModel

/// `inventory.json`: the tasks that wait, the first to run first (CIO 1a).
struct Inventory: Hashable, Sendable {
    /// Its elements in their order; no two have the same id.
    var entries: [InventoryEntry] = []

    /// An empty one.
    init() {}

    /// Decodes the file. Errors give the line and offset (P3, CIO-92).
    init(_ bytes: [UInt8]) throws(FormatError) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw FormatError("\(error.description) (offset \(error.offset))")
        }
        guard let elements = value.array else {
            throw FormatError("line 1, offset 0: it holds \(value.kindName), no array")
        }
        var places: [String: Int] = [:]
        for (place, element) in elements.enumerated() {
            do throws(FormatError) {
                let entry = try InventoryEntry(element)
                if let first = places.updateValue(place, forKey: entry.id) {
                    throw FormatError("it has the id of element \(first + 1)")
                }
                guard entry.dialect == dialect ?? entry.dialect else {
                    throw FormatError(
                        "it has the keys of the SDK for \(entry.dialect.name), and element 1 "
                            + "has not")
                }
                entries.append(entry)
            } catch {
                let offset = Self.offset(ofElement: place, in: bytes)
                let line = 1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
                throw FormatError(
                    "line \(line), element \(place + 1) (offset \(offset)): \(error.message)")
            }
        }
    }

    /// The SDK that wrote it; nil for an empty one.
    var dialect: FolderDialect? { entries.first?.dialect }

    /// The offset of an array element in valid JSON.
    private static func offset(ofElement wanted: Int, in bytes: [UInt8]) -> Int {
        var (depth, element, isText, isEscaped) = (0, -1, false, false)
        var startsNext = false
        for (offset, byte) in bytes.enumerated() {
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            if startsNext, byte > 32 {
                element += 1
                startsNext = false
                if element == wanted { return offset }
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { startsNext = true }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","): if depth == 1 { startsNext = true }
            default: break
            }
        }
        return 0
    }

    /// The bytes of an inventory of these entries, each as the SDK writes it.
    static func bytes(ofEntries texts: [String]) -> [UInt8] {
        Array("[\(texts.joined(separator: ","))]".utf8)
    }
}
