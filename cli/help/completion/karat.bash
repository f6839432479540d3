# Completion of karat in bash, from the table that karat puts in.
_karat_table='# SUBCOMMAND:NAME:LETTER:KIND:ARGUMENT:SUMMARY@TABLE@'
_karat() {
  local cur=${COMP_WORDS[COMP_CWORD]} sub= options= words= i of name letter kind rest
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in -*) ;; *) sub=${COMP_WORDS[i]}; break ;; esac
  done
  while IFS=: read -r of name letter kind rest; do
    [ "$of" = "$sub" ] || continue
    [ "$kind" != '?' ] || kind=
    case $name in --*) options+=" $name$kind" ;; *) words+=" $name" ;; esac
  done <<<"$_karat_table"
  [ "$sub" ] && [ $((COMP_CWORD - i)) -ne 1 ] && words=
  case $cur in -*) words=$options ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o bashdefault -o default -F _karat karat
