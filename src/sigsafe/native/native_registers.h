// The registers that a walk over native frames follows: the file for this processor.
#pragma once

#if defined(__x86_64__)
#include "sigsafe/native/native_registers_x64.h"  // IWYU pragma: export
#elif defined(__aarch64__)
#include "sigsafe/native/native_registers_aarch64.h"  // IWYU pragma: export
#else
#error "jprof knows x86-64 and AArch64"
#endif
