public import SluiceModel

/// One setting of a queue and its new value.
public enum SettingChange: Hashable, Sendable {
    case preset(PresetName)
    case order(QueueOrder)
    case priorityNames(PriorityNames)
    case summary(SummaryPaths)
    case concurrency(Int)
    case rate(String?)
    case burst(Int?)
    /// The place whose values have the rate each, such as `payload.user`; nil for none.
    case per(String?)
    case afterFailure(AfterFailure)
    case start(StartKind)
    case batchCount(Int)
    case batchDelay(Int64)
    case priority(Int)
    case attempts(Int?)
    case retry(RetryRule)
    case timeout(Int64?)
    case stuckAfter(Int64)
    case keepFinished(KeepFinished)
    case retention(Int64?)
    case maximumPayload(Int)
    case expires(Int64?)
    case startsExpire(Bool)
    case whenStartFails(StartFailurePolicy)
    case maximumLength(Int?)
    case maximumDepth(Int)
    /// The place of the unique key, such as `order:replace`; nil for none.
    case unique(String?)
    /// Whether new tasks are required.
    case required(Bool)
    /// The running order of types, such as `network,login,push=scheme`, or `none`.
    case rank(String)
    /// The attempts, the retry rule or the timeout of a type's tasks.
    indirect case ofType(String, SettingChange)
    /// A setting of a type, by its name, that follows the queue again.
    case likeQueue(type: String, String)
}
