/* Runs a program on the model: model FILE. */
#include <karat/karat.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    if (strcmp(karat_version(), KARAT_VERSION) != 0 || karat_api_version() != KARAT_API_VERSION)
        return 2;
    karat_diag diag;
    karat_kernel *kernel = argc == 2 ? karat_kernel_load(argv[1], NULL, &diag) : NULL;
    if (!kernel)
        return 2;
    karat_config config;
    karat_config_default(&config);
    config.num_thread = 4;
    karat_model *model = karat_create(&config, NULL);
    karat_launch_desc desc;
    if (karat_kernel_place(kernel, model) != KARAT_OK || karat_workgroup_open(model, 0, 1) != KARAT_OK)
        return 2;
    karat_kernel_launch(kernel, 4, 0, 0, &desc);
    karat_launch(model, 0, &desc);
    karat_commit commit;
    while (karat_step(model, 0, &commit) == KARAT_OK)
        for (uint32_t i = 0; i < commit.num_writes; i++)
            printf("0x%08x x%u=%u\n", (unsigned)commit.pc, (unsigned)commit.write[i].reg,
                   (unsigned)commit.write[i].value[0]);
    karat_destroy(model);
    karat_kernel_free(kernel);
    return 0;
}
