import SluiceModel
import SluiceSystem
import SluiceTestSupport

/// A Customer.io folder as its SDK would find it at one moment, read by hand.
struct FolderInspection {
    /// The ids of the entries, in their order.
    var ids: [String] = []
    /// Differences from the SDK's format, including ones that would break the SDK.
    var faults: [String] = []

    /// Inspects a folder. `isWhole` means that no process writes to it, so all files must exist.
    init(_ folder: String, isWhole: Bool = true) throws {
        let bytes = try Files.read("\(folder)/inventory.json", limitBytes: 1 << 26)
        let text = String(decoding: bytes, as: UTF8.self)
        guard let entries = (try? JSONValue.parse(bytes))?.array else {
            if isWhole { faults.append("the inventory is \(text)") }
            return
        }
        if "[\(entries.map(Self.written).joined(separator: ","))]" != text {
            faults.append("the inventory is not as the SDK writes it: \(text)")
        }
        for entry in entries {
            let id = entry["task_persisted_id"]?.string ?? ""
            ids.append(id)
            if id != id.uppercased() || id.utf8.count != 36 { faults.append("the id \(id)") }
            if entry["created_at"]?.integer == nil { faults.append("the time of \(id)") }
            guard isWhole else { continue }
            let path = "\(folder)/tasks/\(id).json"
            let file = try? JSONValue.parse(Files.read(path, limitBytes: 1 << 20))
            if file?["storage_id"]?.string != id { faults.append("the file of \(id)") }
        }
        if Set(ids).count < ids.count { faults.append("an id stands there twice") }
    }

    /// An object as the SDK's encoder writes it: keys sorted, no blanks, `/` as `\/`.
    private static func written(_ value: JSONValue) -> String {
        let object = value.object ?? JSONObject()
        var sorted = JSONObject()
        for key in object.keys.sorted() { sorted[key] = object[key] }
        return JSONValue.object(sorted).text.replacing("/", with: "\\/")
    }
}

/// A program that knows no lock and adds tasks to a folder as its SDK does: the task's file, then
/// the inventory that it has read, with one entry more, written in place.
enum ForeignApp {
    static let program = "app"

    /// The program; its words are the folder, how many tasks, and how many milliseconds between.
    static let text = #"""
        #!/usr/bin/perl
        my ($folder, $count, $pause) = @ARGV;
        sub put { open(my $out, '>', $_[0]) or exit 1; syswrite $out, $_[1]; close $out; }
        for my $number (1 .. $count) {
            my $id = sprintf("FFFFFF%02X-%04d-4BBB-8CCC-DDDDDDDDDDDD", $number % 256, $number);
            my ($text, $type) = ('', 'their/track');
            until ($text =~ /^\[.*\]$/s) {
                open(my $in, '<', "$folder/inventory.json") or next;
                $text = do { local $/; <$in> } // '';
            }
            $type =~ s{/}{\\/};
            put("$folder/tasks/$id.json", qq({"data":"e30=","run_results":{"total_runs":0},)
                . qq("storage_id":"$id","type":"$type"}));
            my $entry = qq({"created_at":1670517032,"task_persisted_id":"$id","task_type":"$type"});
            $text = $text eq '[]' ? "[$entry]" : substr($text, 0, -1) . ",$entry]";
            put("$folder/inventory.json", $text);
            select(undef, undef, undef, $pause / 1000);
        }
        """#
}
