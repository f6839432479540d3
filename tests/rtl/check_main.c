/* `karat check` alone, for builds by other compilers. */
#include "cli.h"

int main(int argc, char **argv) {
    cli_set_name("karat check");
    return cmd_check(argc, argv);
}
