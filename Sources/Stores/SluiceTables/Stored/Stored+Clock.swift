import SluiceModel

/// The clock of a store as JSON.
extension ClockSetting: StoredRecord {
    static var blank: Self { Self(.real, by: "", since: .unknown) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass(&time)
        fields.pass("by", &by)
        fields.pass("since", &since)
    }
}

extension StoreTime: StoredObject {
    func put(in fields: inout StoredFields) {
        switch self {
        case .real: break
        case .offset(let milliseconds): fields.put("offset", milliseconds)
        case .frozen(let moment): fields.put("frozen", moment)
        case .rate(let rate, let from, let since):
            fields.put("rate", rate)
            fields.put("from", from)
            fields.put("at", since)
        }
    }

    init(fields: StoredFields) throws(QueueError) {
        if let milliseconds: Int64 = try fields.optional("offset") {
            self = .offset(milliseconds)
        } else if let moment: Timestamp = try fields.optional("frozen") {
            self = .frozen(at: moment)
        } else {
            let rate: Double = try fields.required("rate")
            guard Self.rates.contains(rate) else {
                throw StoredFields.damage("a clock of rate \(rate)")
            }
            self = .rate(rate, from: try fields.required("from"), since: try fields.required("at"))
        }
    }
}

extension UndoRecord.ClockImage: StoredRecord {
    static var blank: Self { Self(before: nil, after: nil) }

    mutating func pass(_ fields: FieldPass) {
        fields.pass("before", &before)
        fields.pass("after", &after)
    }
}
