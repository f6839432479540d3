/* Files of this folder that the command has in it. */
#ifndef KARAT_CLI_EMBED_H
#define KARAT_CLI_EMBED_H

extern const char page_coverage_css[], page_coverage_js[];

#endif
