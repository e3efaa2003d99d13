import SluiceModel

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
