#include "CSystem.h"

// `make install` writes this section of the installed program. The compiler must not read it.
__attribute__((section(".sluice_build"), used)) static const volatile char build[64] = {0};

const char *csys_build(void) {
    return (const char *)build;
}
