/// The kernel query for the route to the internet, in rtnetlink's format, and the parser of its
/// answer. No other machine is contacted.
///
/// The kernel resolves the route as for a packet, so that tables, rules and tunnels count. The
/// address is a root name server, which is in no private network.
enum RouteMessage {
    /// A family of addresses, by its number in Linux.
    enum Family: UInt8, CaseIterable {
        case four = 2
        case six = 10
    }

    enum Answer: Hashable {
        /// The first hops of the route that would be taken; none of them without a network.
        case hops([WayOut.Hop])
        /// The kernel did not understand the question, or the answer is not one to it.
        case unknown
    }

    private static let headBytes = 16
    private static let routeBytes = 12
    private static let errorKind: UInt16 = 2
    private static let answerKind: UInt16 = 24
    private static let questionKind: UInt16 = 26
    private static let (destination, outInterface, gateway, multipath, via) = (1, 4, 5, 9, 18)
    private static let unicast: UInt8 = 1
    private static let loopback: Int32 = 1
    /// The hop is dead, or its link has no carrier.
    private static let downFlags: UInt32 = 1 | 16
    /// The errors without a route: ENETDOWN, ENETUNREACH, EHOSTUNREACH.
    private static let noRoute: Set<Int32> = [-100, -101, -113]

    static func question(_ family: Family) -> [UInt8] {
        let address: [UInt8] =
            switch family {
            case .four: [198, 41, 0, 4]
            case .six: [0x20, 1, 5, 3, 0xba, 0x3e, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x30]
            }
        // The entry of the table, which knows whether its links are up, not what follows from it.
        let wantsEntry: UInt32 = 0x2000
        let isRequest: UInt16 = 1
        let attributeBytes = 4 + address.count
        var bytes: [UInt8] = []
        bytes.append(native: UInt32(headBytes + routeBytes + attributeBytes))
        bytes.append(native: questionKind)
        bytes.append(native: isRequest)
        bytes += [UInt8](repeating: 0, count: 8)
        bytes += [family.rawValue, UInt8(address.count * 8), 0, 0, 0, 0, 0, 0]
        bytes.append(native: wantsEntry)
        bytes.append(native: UInt16(attributeBytes))
        bytes.append(native: UInt16(destination))
        return bytes + address
    }

    /// Reads the answer to `question`.
    static func answer(_ bytes: [UInt8]) -> Answer {
        guard let length: UInt32 = bytes[...].native(at: 0), length >= headBytes,
            Int(length) <= bytes.count, let kind: UInt16 = bytes[...].native(at: 4)
        else { return .unknown }
        let body = bytes[headBytes..<Int(length)]
        switch kind {
        case errorKind:
            guard let error: Int32 = body.native(at: 0) else { return .unknown }
            return noRoute.contains(error) ? .hops([]) : .unknown
        case answerKind:
            guard body.count >= routeBytes, let flags: UInt32 = body.native(at: 8) else {
                return .unknown
            }
            let type = body[body.startIndex + 7]
            guard type == unicast, flags & downFlags == 0 else { return .hops([]) }
            return .hops(hops(in: body.dropFirst(routeBytes)))
        default: return .unknown
        }
    }

    private static func hops(in attributes: ArraySlice<UInt8>) -> [WayOut.Hop] {
        var only = WayOut.Hop(interface: 0, gateway: [])
        var several: [WayOut.Hop] = []
        for (kind, value) in Self.attributes(attributes) {
            switch kind {
            case outInterface: only.interface = value.native(at: 0) ?? 0
            case gateway, via: only.gateway = Array(value)
            case multipath: several += nextHops(value)
            default: break
            }
        }
        return (several + [only]).filter { $0.interface > loopback }
    }

    /// The hops of a route that has more than one, those whose link is down left out.
    private static func nextHops(_ bytes: ArraySlice<UInt8>) -> [WayOut.Hop] {
        let hopBytes = 8
        return records(bytes, headBytes: hopBytes).compactMap { record in
            let flags = UInt32(record[record.startIndex + 2])
            guard flags & downFlags == 0, let interface: Int32 = record.native(at: 4) else {
                return nil
            }
            var hop = WayOut.Hop(interface: interface, gateway: [])
            for (kind, value) in attributes(record.dropFirst(hopBytes))
            where kind == gateway || kind == via { hop.gateway = Array(value) }
            return hop
        }
    }

    private static func attributes(
        _ bytes: ArraySlice<UInt8>
    ) -> [(kind: Int, value: ArraySlice<UInt8>)] {
        records(bytes, headBytes: 4).map { record in
            let kind: UInt16 = record.native(at: 2) ?? 0
            return (Int(kind & 0x3fff), record.dropFirst(4))
        }
    }

    /// Parts that each begin with their length and are filled up to four bytes; what does not fit
    /// ends them.
    private static func records(
        _ bytes: ArraySlice<UInt8>, headBytes: Int
    ) -> [ArraySlice<UInt8>] {
        var rest = bytes
        var found: [ArraySlice<UInt8>] = []
        while let length: UInt16 = rest.native(at: 0), length >= headBytes,
            Int(length) <= rest.count
        {
            found.append(rest.prefix(Int(length)))
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return found
    }
}

extension [UInt8] {
    fileprivate mutating func append(native value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// The number at this byte offset, in native byte order.
    fileprivate func native<Number: FixedWidthInteger>(at offset: Int) -> Number? {
        guard offset + MemoryLayout<Number>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
