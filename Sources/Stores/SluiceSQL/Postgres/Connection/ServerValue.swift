import SluiceSystem

enum ServerValue: Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])

    /// The type names of columns in the catalogue.
    enum Kind: String, Hashable {
        case integer = "bigint"
        case double = "double precision"
        case text
        case bytes = "bytea"
    }

    /// Nil for NULL, which is of every kind.
    var kind: Kind? {
        switch self {
        case .null: nil
        case .integer: .integer
        case .double: .double
        case .text: .text
        case .bytes: .bytes
        }
    }
}

extension PostgresValues {
    init(row: [ServerValue]) {
        self.init()
        for value in row { add(value) }
    }

    mutating func add(_ value: ServerValue) {
        switch value {
        case .null: addNull()
        case .integer(let number): add(number)
        case .double(let number): add(number)
        case .text(let text): add(text)
        case .bytes(let bytes): add(bytes)
        }
    }

    /// One column of many rows, as an array.
    mutating func add(column: Int, of rows: [[ServerValue]], as kind: ServerValue.Kind) {
        switch kind {
        case .integer:
            add(integers: rows.map { if case .integer(let n) = $0[column] { n } else { nil } })
        case .double:
            add(doubles: rows.map { if case .double(let n) = $0[column] { n } else { nil } })
        case .text:
            add(texts: rows.map { if case .text(let text) = $0[column] { text } else { nil } })
        case .bytes:
            add(blobs: rows.map { if case .bytes(let bytes) = $0[column] { bytes } else { nil } })
        }
    }
}
