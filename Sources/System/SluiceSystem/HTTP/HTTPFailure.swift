/// Why there is no answer.
package enum HTTPFailure: Error, Hashable, Sendable {
    /// A caller ended the exchange.
    case stopped
    /// No byte moved in either direction for this time.
    case stalled(milliseconds: Int64)
    /// The response made continuous progress, but its head was incomplete after this time.
    case slowHead(milliseconds: Int64)
    /// This machine has no network; in words.
    case offline(String)
    /// The connection failed or broke, with a description.
    case transport(String)
    /// The URL is unusable, with a description.
    case badURL(String)
    /// A redirect is not followed; in words.
    case redirect(String)
    /// The body or the receiver ended the exchange, and knows why.
    case aborted
    /// There is no libcurl; in words.
    case unavailable(String)
    /// This process can open no socket, or has no memory; in words.
    case shortage(String)

    /// Converts libcurl's code. The text has hosts and ports, never a header.
    init(code: Int32, systemError: Int32, text: String) {
        let (noProxy, noHost, noConnection) = (Int32(5), Int32(6), Int32(7))
        let noMemory = Int32(27)
        // Libcurl reports no connection even if it could not open a socket.
        if code == noMemory
            || [noProxy, noHost, noConnection].contains(code) && DescriptorLimit.isReached
        {
            self = .shortage(code == noMemory ? text : "\(text): too many files are open")
            return
        }
        let isOffline =
            switch code {
            case noProxy, noHost: !Network.hasRoute
            case noConnection: Network.isMissing(errorNumber: systemError)
            default: false
            }
        self = isOffline ? .offline(text) : .transport(text)
    }
}
