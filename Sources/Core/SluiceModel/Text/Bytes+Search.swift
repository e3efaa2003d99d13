extension [UInt8] {
    /// Whether these bytes stand somewhere in it, one after the other.
    public func holds(_ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        return withUnsafeBufferPointer { bytes in
            wanted.withUnsafeBufferPointer { wanted in
                var place = 0
                let last = bytes.count - wanted.count
                while place <= last {
                    guard bytes[place] == first else {
                        place += 1
                        continue
                    }
                    var index = 1
                    while index < wanted.count, bytes[place + index] == wanted[index] { index += 1 }
                    if index == wanted.count { return true }
                    place += 1
                }
                return false
            }
        }
    }
}
