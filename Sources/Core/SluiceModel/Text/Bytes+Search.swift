extension [UInt8] {
    /// Whether these bytes stand somewhere in it, one after the other.
    package func holds(_ wanted: [UInt8]) -> Bool {
        withUnsafeBufferPointer { $0.holds(wanted) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes stand somewhere in it, one after the other.
    func holds(_ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        return wanted.withUnsafeBufferPointer { wanted in
            var place = 0
            let last = count - wanted.count
            while place <= last {
                guard self[place] == first else {
                    place += 1
                    continue
                }
                var index = 1
                while index < wanted.count, self[place + index] == wanted[index] { index += 1 }
                if index == wanted.count { return true }
                place += 1
            }
            return false
        }
    }
}
