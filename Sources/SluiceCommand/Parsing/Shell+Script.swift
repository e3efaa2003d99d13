import QueueModel

extension Shell {
    /// The script that asks `sluice __complete` for the words that may stand at the cursor; a line
    /// `:files` among them asks the shell for the names of files.
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
            local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
            local line=("${COMP_WORDS[@]:1:COMP_CWORD}")
            COMPREPLY=($("${COMP_WORDS[0]}" __complete -- "${line[@]}" 2>/dev/null))
            if [ "${COMPREPLY[0]}" = ":files" ]; then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "${word#=}"))
            fi
        }
        complete -F _sluice sluice
        """#

    private static let zshScript = #"""
        #compdef sluice
        _sluice() {
            local -a found
            found=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
            if [[ "${found[1]}" == ":files" ]]; then _files; else compadd -- "${found[@]}"; fi
        }
        compdef _sluice sluice
        """#

    private static let fishScript = #"""
        function __sluice_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
            if test "$found[1]" = ":files"
                __fish_complete_path (commandline -ct)
            else
                string join \n -- $found
            end
        end
        complete -c sluice -f -a '(__sluice_complete)'
        """#
}
