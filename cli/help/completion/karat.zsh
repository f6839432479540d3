#compdef karat
# Completion of karat in zsh, from the table that karat puts in.
_karat_table='# SUBCOMMAND:NAME:LETTER:KIND:ARGUMENT:SUMMARY@TABLE@'
_karat() {
  local context state state_descr line sub= of name letter kind arg summary files end
  local -a specs karat_words subcommands
  typeset -A opt_args
  (( CURRENT > 2 )) && sub=$words[2]
  while IFS=: read -r of name letter kind arg summary; do
    [[ $of = "$sub" ]] || continue
    if [[ $name != --* ]]; then
      karat_words+=$name
      subcommands+="$name:$summary"
      continue
    fi
    files=' '
    [[ $arg = *(FILE|FOLDER)* ]] && files=_files
    end="[${${summary//\[/\\[}//\]/\\]}]"
    case $kind in '=') end+=":$arg:$files" ;; '?') end+="::$arg:$files" ;; esac
    [[ $letter ]] && specs+="-$letter${kind:++}$end"
    specs+="$name${kind/\?/=-}$end"
  done <<<"$_karat_table"
  if (( CURRENT == 2 )); then
    _describe subcommand subcommands
    _arguments $specs
    return
  fi
  shift words
  (( CURRENT-- ))
  _arguments $specs '1: :{ local -a names=($karat_words); compadd -a names; _files }' '*: :_files'
}
if [ "$funcstack[1]" = _karat ]; then
  _karat "$@"
else
  compdef _karat karat
fi
