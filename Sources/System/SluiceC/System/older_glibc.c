// Two functions that the linker would take from glibc 2.35, so that an archive starts with 2.34.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

// The Swift runtime names it. glibc 2.35 changed its errors alone.
float hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
struct search {
    uintptr_t address;
    struct dl_find_object *found;
};

// Fills in the loaded object that has the address.
static int visit(struct dl_phdr_info *info, size_t size, void *context) {
    struct search *search = context;
    (void)size;
    const ElfW(Phdr) *frames = NULL;
    uintptr_t start = UINTPTR_MAX, end = 0;
    int holds = 0;
    for (int place = 0; place < info->dlpi_phnum; place++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[place];
        if (part->p_type == PT_GNU_EH_FRAME) frames = part;
        if (part->p_type != PT_LOAD) continue;
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (from < start) start = from;
        if (to > end) end = to;
        if (search->address >= from && search->address < to) holds = 1;
    }
    if (!holds) return 0;
    if (frames == NULL) return -1;
    *search->found = (struct dl_find_object){
        .dlfo_map_start = (void *)start,
        .dlfo_map_end = (void *)end,
        .dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr),
    };
    return 1;
}

// The unwinder of GCC asks it for the object of an address. 0 for success.
int _dl_find_object(void *address, struct dl_find_object *found) {
    struct search search = {(uintptr_t)address, found};
    return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
#endif
