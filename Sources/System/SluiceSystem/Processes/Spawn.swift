/// How to start a program.
package struct Spawn: Equatable, Sendable {
    /// The child's standard input or output.
    package enum Stream: Equatable, Sendable {
        /// Nothing: /dev/null.
        case null
        /// A pipe whose other, non-blocking end `ChildProcess` holds.
        case pipe
        /// A descriptor of ours; 0, 1 or 2 for the stream that this process has.
        case descriptor(Int32)
    }

    /// The child's standard error.
    package enum ErrorStream: Equatable, Sendable {
        /// Nothing: /dev/null.
        case null
        case pipe
        case descriptor(Int32)
        /// The same as its standard output.
        case sameAsOutput
    }

    /// A descriptor of ours that the child gets as well.
    package struct Inherited: Equatable, Sendable {
        /// Our number.
        package let descriptor: Int32
        /// The child's number, 3 or more.
        package let number: Int32

        /// Our descriptor under the child's number.
        package init(_ descriptor: Int32, as number: Int32) {
            self.descriptor = descriptor
            self.number = number
        }
    }

    /// Which group of processes the child is in; `signalGroup` reaches that group.
    package enum Group: Equatable, Sendable {
        case own
        case parent
        /// A new session on a terminal, which replaces all three streams.
        case session(terminal: String)
    }

    /// A path, or a name that is looked up in the PATH of `environment`.
    package var program: String
    /// The arguments after the program's name.
    package var arguments: [String]
    /// The whole environment as NAME=VALUE.
    package var environment: [String]
    /// The working folder; `nil` for this process's own. A relative `program` path starts there.
    package var directory: String?
    package var input: Stream
    package var output: Stream
    /// Standard error.
    package var errors: ErrorStream
    /// Further descriptors; the child closes all others.
    package var inherited: [Inherited]
    package var group: Group

    /// A program without input, with output and errors in pipes, in a new group.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String],
        directory: String? = nil, input: Stream = .null, output: Stream = .pipe,
        errors: ErrorStream = .pipe, inherited: [Inherited] = [], group: Group = .own
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.output = output
        self.errors = errors
        self.inherited = inherited
        self.group = group
    }
}
