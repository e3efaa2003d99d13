package import SluicePlatform
package import SluiceTerminalUI

/// Something that woke the loop of the terminal.
package enum LoopInput: Equatable, Sendable {
    /// The loop begins: paint the first picture.
    case started
    /// The person did something.
    case input([InputEvent])
    /// The terminal has another size.
    case resized(Size)
    /// Another thread raised the flag.
    case woken
    /// A watched descriptor can be read.
    case descriptorReady(Int32)
    /// The time that was asked for has come.
    case deadline
    /// The terminal told its ground, and the picture has other colours now.
    case restyled
    /// The terminal told that it draws pictures of a kind as one.
    case joins(PictureJoins)
    /// The process was asked to end; also sent when the terminal is gone (`.hangUp`).
    case signal(Signal)
    /// The process was stopped and goes on: paint, and look at the clock.
    case resumed
}

/// What the loop does next.
package enum LoopNext: Equatable, Sendable {
    /// Sleeps until something happens, or at the latest until a time of
    /// `SystemClock.monotonicNanoseconds()`; nil: without end.
    case wait(untilNanoseconds: UInt64?)
    /// Ends the loop.
    case stop
}
