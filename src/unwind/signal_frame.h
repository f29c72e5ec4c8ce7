// How to get from the kernel's signal trampoline to the interrupted code: the file for this
// processor.
#pragma once

#if defined(__x86_64__)
#include "unwind/signal_frame_x64.h"  // IWYU pragma: export
#elif defined(__aarch64__)
#include "unwind/signal_frame_aarch64.h"  // IWYU pragma: export
#else
#error "jprof knows x86-64 and AArch64"
#endif
