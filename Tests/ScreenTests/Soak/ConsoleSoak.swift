import Testing

/// The console as a person has it, for a long time: one after the other, because most of it is
/// measured. `SLUICE_SOAK=1` makes the long versions, `SLUICE_PROGRAM` names another executable.
@Suite("console soak", .serialized)
enum ConsoleSoak {}
