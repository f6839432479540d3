# Completion of karat in fish, from the table that karat puts in.
set -l table '# SUBCOMMAND:NAME:LETTER:KIND:ARGUMENT:SUMMARY@TABLE@'
for row in (string split \n -- $table)[2..]
    set -l field (string split -m 5 : -- $row)
    set -l how -n __fish_use_subcommand
    test -n "$field[1]"; and set how -n "__fish_seen_subcommand_from $field[1]"
    if not string match -q -- '--*' $field[2]
        test -z "$field[1]"; and set -a how -f
        complete -c karat $how -a $field[2] -d "$field[6]"
        continue
    end
    set -a how -l (string sub -s 3 -- $field[2])
    test -n "$field[3]"; and set -a how -s $field[3]
    if test "$field[4]" = '='
        string match -qr 'FILE|FOLDER' -- $field[5]; and set -a how -r -F; or set -a how -x
    end
    complete -c karat $how -d "$field[6]"
end
