/* Files that the command has in it. */
#ifndef KARAT_CLI_EMBED_H
#define KARAT_CLI_EMBED_H

extern const char page_coverage_html[];
extern const char completion_bash[], completion_zsh[], completion_fish[];

#endif
