import SluiceControl
import SluiceModel
import SluiceStore

/// A completion request: `__complete -- WORD…` from shells that handle quotes themselves, and
/// `__complete bash BREAKS LINE` from bash, which does not.
struct CompletionCall: Hashable, Sendable {
    /// The words after `sluice`; the last one is being written, and may be empty.
    let words: [String]
    private let line: ShellLine?

    init(_ words: ArraySlice<String>) {
        let words = Array(words)
        if words.count == 3, words[0] == Shell.bash.rawValue {
            let line = ShellLine(words[2], breaks: words[1])
            self.line = line
            self.words = Array(line.words.dropFirst())
        } else {
            line = nil
            self.words = words.first == "--" ? Array(words.dropFirst()) : words
        }
    }

    var current: String { words.last ?? "" }

    /// The answer that makes the shell complete the last word to `word`.
    func answer(_ word: String) -> String { line?.completed(word) ?? word }
}

/// The words that a shell asks for.
extension Program {
    /// The line that requests file names from a shell. No name begins like this.
    static let filesMark = "\tfiles"

    /// The words that fit the last one, one on each line, or `filesMark`.
    func completions(of call: CompletionCall) -> Reply {
        switch CommandCompletion.words(after: call.words) {
        case .files: return Reply([.string(Self.filesMark)], [Self.filesMark])
        case .list(let found): return reply(found, for: call)
        case .queues: return reply(queueNames(call), for: call)
        }
    }

    private func reply(_ found: [String], for call: CompletionCall) -> Reply {
        let start = CommandCompletion.optionStart(of: call.current)
        let fitting = found.map { start + $0 }.filter { $0.hasPrefix(call.current) }
        return Reply(JSONValue(fitting), fitting.map(call.answer))
    }

    /// The queues of the store, or none if it cannot be read: a shell must not see errors.
    private func queueNames(_ call: CompletionCall) -> [String] {
        var common = CommonOptions(isReadOnly: true)
        let isValue = !CommandCompletion.optionStart(of: call.current).isEmpty
        let words = CommandCompletion.parted(call.words)
        if let place = words.lastIndex(of: "--store"), place + 1 < words.count {
            common.store = words[place + 1]
        }
        let session = CommandContext(host: host, common: common)
        defer { session.close() }
        let names = try? session.read { try $0.store.queues().map(\.name) }
        // The shell would treat a name with a leading `-` as an option.
        let mayBegin = isValue || CommandCompletion.endsOptions(words.dropLast())
        // A damaged store may hold anything, and this goes to a terminal.
        return (names ?? []).filter { Names.isValid($0) && (mayBegin || !$0.hasPrefix("-")) }
    }
}

extension Shell {
    /// The script that gets completions from `sluice __complete`. The line `\tfiles` makes the
    /// shell complete file names.
    ///
    /// The shell never expands the answers. zsh and fish add quotes themselves; for bash, which
    /// inserts the answer unchanged, the program adds them.
    var script: Reply {
        let text =
            switch self {
            case .bash: Self.bashScript
            case .zsh: Self.zshScript
            case .fish: Self.fishScript
            }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Reply(["script": .string(text)], lines)
    }

    private static let bashScript = #"""
        _sluice() {
            local line=${COMP_LINE:0:COMP_POINT}
            mapfile -t COMPREPLY < <(
                "${COMP_WORDS[0]}" __complete bash "$COMP_WORDBREAKS" "$line" 2>/dev/null)
            if [ "${COMPREPLY[0]}" = $'\tfiles' ]; then
                COMPREPLY=()
                compopt -o default 2>/dev/null
            fi
        }
        complete -F _sluice sluice
        """#

    private static let zshScript = #"""
        #compdef sluice
        _sluice() {
            local -a found
            local word=$words[CURRENT] current quote
            # A quote that is still open is closed first, since else nothing is taken away.
            for quote in '' \' \"; do
                current=${(Q)${:-$word$quote}}
                [[ $current != "$word$quote" ]] && break
                current=$word
            done
            found=("${(@f)$("${words[1]}" __complete -- \
                "${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}")
            if [[ "${found[1]}" == $'\tfiles' ]]; then
                _files
            elif [[ -n "${found[1]}" ]]; then
                compadd -- "${found[@]}"
            fi
        }
        # From a folder of functions it is loaded as the function itself.
        if [[ "${funcstack[1]}" == _sluice ]]; then
            _sluice "$@"
        else
            compdef _sluice sluice
        fi
        """#

    private static let fishScript = #"""
        function __sluice_complete
            set -l words (commandline -opc)
            set -l current (string unescape -- (commandline -ct))
            # A quote that is still open cannot be taken away so.
            or set current (string replace -r '^[\'"]' '' -- (commandline -ct))
            set -l found ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
            if test "$found[1]" = \tfiles
                __fish_complete_path (commandline -ct)
            else
                # A ~ at the beginning fish would not quote, and take it for a folder.
                string match --invert -- '~*' $found
            end
        end
        complete -c sluice -f -a '(__sluice_complete)'
        """#
}
