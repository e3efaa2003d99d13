/// How to start a program.
public struct Spawn: Equatable, Sendable {
    /// What the child's standard input or output is.
    public enum Stream: Equatable, Sendable {
        /// Nothing: /dev/null.
        case null
        /// A pipe whose other, non-blocking end `ChildProcess` holds.
        case pipe
        /// A descriptor of ours; 0, 1 or 2 for the stream that this process has.
        case descriptor(Int32)
    }

    /// What the child's standard error is.
    public enum ErrorStream: Equatable, Sendable {
        /// Nothing: /dev/null.
        case null
        /// A pipe of its own.
        case pipe
        /// A descriptor of ours.
        case descriptor(Int32)
        /// The same as its standard output.
        case sameAsOutput
    }

    /// A descriptor of ours that the child gets as well.
    public struct Inherited: Equatable, Sendable {
        /// Our number.
        public let descriptor: Int32
        /// The child's number, 3 or more.
        public let number: Int32

        /// Our descriptor under the child's number.
        public init(_ descriptor: Int32, as number: Int32) {
            self.descriptor = descriptor
            self.number = number
        }
    }

    /// Which group of processes the child is in; `signalGroup` reaches that group.
    public enum Group: Equatable, Sendable {
        /// A group of its own.
        case own
        /// The group of this process.
        case parent
        /// A session of its own on a terminal, which takes the place of all three streams.
        case session(terminal: String)
    }

    /// A path, or a name that is looked up in the PATH of `environment`.
    public var program: String
    /// The arguments after the program's name.
    public var arguments: [String]
    /// The whole environment as NAME=VALUE.
    public var environment: [String]
    /// The folder in which it runs; nil for ours. A relative `program` path counts from there.
    public var directory: String?
    /// Standard input.
    public var input: Stream
    /// Standard output.
    public var output: Stream
    /// Standard error.
    public var errors: ErrorStream
    /// Further descriptors; all that are not listed are closed in the child.
    public var inherited: [Inherited]
    /// The group.
    public var group: Group

    /// A program with no input, its output and errors in pipes and a group of its own.
    public init(
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
