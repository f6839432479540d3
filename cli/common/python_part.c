#include "python_part.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "cli.h"

error_t cli_python_option(cli_python *h, const char *name, const char *value) {
    value = value ? value : "";
    const size_t size = strlen(name) + strlen(value) + 4;
    char *text = malloc(size);
    if (!text || !karat_grow(&h->options, h->num_option, sizeof *h->options)) {
        free(text);
        return ENOMEM;
    }
    snprintf(text, size, "--%s=%s", name, value);
    h->options[h->num_option++] = text;
    return 0;
}

error_t cli_python_word(cli_python *h, char *word) {
    if (!karat_grow(&h->words, h->num_word, sizeof *h->words))
        return ENOMEM;
    h->words[h->num_word++] = word;
    return 0;
}

/* False: there is none. */
static bool find_self(const char *part, char self[PATH_MAX], char script[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    const char *end = strrchr(self, '/');
    const int size =
        snprintf(script, PATH_MAX, "%.*s/../share/karat/%s/__main__.py", (int)(end - self), self, part);
    return size < PATH_MAX && access(script, R_OK) == 0;
}

static void execute(const cli_python *h, const char *part) {
    static char python[] = "/usr/bin/python3", no_cache[] = "-B", karat[] = "--karat", last[] = "--";
    char self[PATH_MAX], script[PATH_MAX];
    char **command = calloc(h->num_option + h->num_word + 8, sizeof(char *));
    if (!command) {
        cli_error("not enough memory");
    } else if (find_self(part, self, script)) {
        size_t n = 0;
        command[n++] = python;
        command[n++] = no_cache;
        command[n++] = script;
        command[n++] = karat;
        command[n++] = self;
        for (size_t i = 0; i < h->num_option; i++)
            command[n++] = h->options[i];
        command[n++] = last;
        for (size_t i = 0; i < h->num_word; i++)
            command[n++] = h->words[i];
        execv(python, command);
        cli_error("%s: %s", python, strerror(errno));
    } else {
        cli_error("its Python part is not installed: no share/karat/%s beside the folder of karat", part);
    }
    free(command);
}

int cli_python_start(cli_python *h, const char *part) {
    if (part)
        execute(h, part);
    for (size_t i = 0; i < h->num_option; i++)
        free(h->options[i]);
    free(h->options);
    free(h->words);
    *h = (cli_python){0};
    return CLI_BAD_INPUT;
}
