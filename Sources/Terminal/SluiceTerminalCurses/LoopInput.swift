package import SluiceSystem
package import SluiceTerminalUI

/// Something that woke the loop of the terminal.
package enum LoopInput: Equatable, Sendable {
    /// The loop begins: paint the first picture.
    case started
    /// The person did something.
    case input([InputEvent])
    case resized(Size)
    /// Another thread raised the flag.
    case woken
    /// The requested time has come.
    case deadline
    /// The terminal told its ground, and the picture has other colours now.
    case restyled
    /// The terminal told that it draws pictures of a kind as one.
    case joins(PictureJoins)
    /// A signal asks the process to end. A closed terminal sends `.hangUp`.
    case signal(Signal)
    /// The process resumed after a stop: repaint, and check the clock.
    case resumed
}

/// The loop's next action.
package enum LoopNext: Equatable, Sendable {
    /// Sleeps until something happens, or at the latest until a time of
    /// `SystemClock.monotonicNanoseconds()`; nil: without end.
    case wait(untilNanoseconds: UInt64?)
    case stop
}
