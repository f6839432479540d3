/* One subcommand of karat alone, for builds by other compilers: -DKARAT_COMMAND=check. */
#include "subcommands.h"

#define CALL_(command, argc, argv) cmd_##command(argc, argv)
#define CALL(command, argc, argv)  CALL_(command, argc, argv)
#define TEXT_(command)             #command
#define TEXT(command)              TEXT_(command)

int main(int argc, char **argv) {
    cli_set_name("karat " TEXT(KARAT_COMMAND));
    return CALL(KARAT_COMMAND, argc, argv);
}
