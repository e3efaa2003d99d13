import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceRunner

private let none = WayOut([])
private let wired = WayOut([WayOut.Hop(interface: 2, gateway: [10, 0, 0, 1])])
private let mobile = WayOut([WayOut.Hop(interface: 3, gateway: [])])

/// A meter with a simulated clock.
private struct Driven {
    var meter: NetworkMeter
    var instant: Int64 = 0

    init(_ way: WayOut?, hasProbe: Bool = false) {
        meter = NetworkMeter(way: way, hasProbe: hasProbe, instant: 0)
    }

    mutating func handle(_ input: NetworkMeter.Input) -> [NetworkMeter.Effect] {
        meter.handle(input, instant: instant)
    }

    /// Time passes, as far as the meter would sleep and no further.
    mutating func sleep() -> [NetworkMeter.Effect] {
        instant += meter.sleepMilliseconds(instant: instant) ?? 0
        return handle(.tick)
    }

    /// Whether only something from outside wakes it.
    var sleepsForGood: Bool { meter.sleepMilliseconds(instant: instant) == nil }
}

@Suite("measuring the network")
struct NetworkMeterTests {
    @Test("B6 a route is a network, none is none, and each change is told once")
    func routes() {
        var meter = Driven(none)
        #expect(meter.meter.state == .noRoute)
        #expect(meter.handle(.way(wired)) == [.tell(.online)])
        #expect(meter.handle(.way(wired)) == [])
        // Another route may be the one that works.
        #expect(meter.handle(.way(mobile)) == [.tell(.online)])
        #expect(meter.handle(.way(none)) == [.tell(.noRoute)])
        #expect(meter.handle(.way(none)) == [])
        #expect(meter.meter.state == .noRoute)
    }

    @Test("B6 without a probe it never wakes by itself, whatever happens")
    func noTimer() {
        for way in [nil, none, wired] {
            var meter = Driven(way)
            #expect(meter.sleepsForGood)
            for input in [.asked, .tick, .way(mobile), .way(none), .unheard] as [NetworkMeter.Input]
            {
                _ = meter.handle(input)
                #expect(meter.sleepsForGood)
            }
        }
    }

    @Test("B6 IDJ-02 where nobody tells of routes, a network counts as there")
    func untold() {
        var meter = Driven(nil)
        #expect(meter.meter.state == .online)
        #expect(meter.handle(.way(none)) == [])
        var deaf = Driven(none)
        #expect(deaf.handle(.unheard) == [.tell(.online)])
        #expect(deaf.handle(.way(none)) == [])
        var lasting = Driven(wired)
        #expect(lasting.handle(.unheard) == [])
    }

    @Test("B6 the probe is asked at the start and after a change of the route, and then rests")
    func probes() {
        var meter = Driven(wired, hasProbe: true)
        #expect(meter.sleep() == [.probe] && meter.instant == 0)
        #expect(meter.handle(.probed(true)) == [.tell(.online)])
        #expect(meter.sleepsForGood)
        #expect(meter.handle(.way(mobile)) == [.probe])
        // The answer to the earlier probe would describe the former route.
        #expect(meter.handle(.way(wired)) == [.probe])
        #expect(meter.handle(.probed(true)) == [.tell(.online)])
        #expect(meter.handle(.probed(false)) == [])
        #expect(meter.sleepsForGood)
    }

    @Test("B6 a probe that fails is asked again after 1, 2, 4 … 60 s, until it answers")
    func growingDelays() {
        var meter = Driven(wired, hasProbe: true)
        var waits: [Int64] = []
        _ = meter.sleep()
        #expect(meter.handle(.probed(false)) == [.tell(.noAnswer)])
        for _ in 0..<8 {
            let before = meter.instant
            #expect(meter.sleep() == [.probe])
            waits.append((meter.instant - before) / 1000)
            // The state did not change.
            #expect(meter.handle(.probed(false)) == [])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(meter.sleep() == [.probe])
        #expect(meter.handle(.probed(true)) == [.tell(.online)])
        #expect(meter.sleepsForGood)
        // The next failure begins anew.
        #expect(meter.handle(.asked) == [.probe])
        #expect(meter.handle(.probed(false)) == [.tell(.noAnswer)])
        #expect(meter.meter.sleepMilliseconds(instant: meter.instant) == 1000)
    }

    @Test("B6 a probe that nobody answers has failed after 5 s")
    func timeOut() {
        var meter = Driven(wired, hasProbe: true)
        _ = meter.sleep()
        #expect(meter.sleep() == [.abandonProbe, .tell(.noAnswer)])
        #expect(meter.instant == NetworkMeter.limitMilliseconds)
        #expect(meter.handle(.probed(true)) == [])
    }

    @Test("B6 without a route nothing is probed, and a route that comes is probed at once")
    func routeFirst() {
        var meter = Driven(none, hasProbe: true)
        #expect(meter.sleepsForGood)
        #expect(meter.handle(.asked) == [])
        #expect(meter.handle(.way(wired)) == [.probe])
        #expect(meter.meter.state == .noRoute)
        #expect(meter.handle(.way(none)) == [.abandonProbe, .tell(.noRoute)])
        #expect(meter.sleepsForGood)
        #expect(meter.handle(.way(wired)) == [.probe])
        #expect(meter.handle(.probed(false)) == [.tell(.noAnswer)])
        // The wait for the next one is over when the route changes.
        #expect(meter.handle(.way(mobile)) == [.probe])
        #expect(meter.handle(.probed(true)) == [.tell(.online)])
    }

    @Test("A3 a handler that found no network has the probe asked, once at a time")
    func asked() {
        var meter = Driven(wired, hasProbe: true)
        _ = meter.sleep()
        _ = meter.handle(.probed(true))
        #expect(meter.handle(.asked) == [.probe])
        #expect(meter.handle(.asked) == [])
        // Report it even if unchanged, because it answers the handler's message.
        #expect(meter.handle(.probed(true)) == [.tell(.online)])
        var plain = Driven(wired)
        #expect(plain.handle(.asked) == [])
    }

    @Test(
        "B6 a probe address is a host and a port",
        arguments: [
            ("example.org:443", "example.org", 443), ("10.0.0.1:1", "10.0.0.1", 1),
            ("[::1]:80", "::1", 80), ("a:65535", "a", 65535),
        ])
    func addresses(text: String, host: String, port: UInt16) throws {
        let address = try #require(ProbeAddress(text))
        #expect(address.host == host && address.port == port)
        #expect(address.description == text)
    }

    @Test(
        "B6 what is no host and port is refused",
        arguments: [
            "", "a", ":1", "a:", "a:0", "a:65536", "a:b", "::1:80", "[]:1", "a b:1", "a\n:1",
            "é:1",
        ])
    func badAddresses(text: String) { #expect(ProbeAddress(text) == nil) }
}
