// SignalFrameRule returns the unwind rule that leads from the kernel's signal trampoline to the
// interrupted code. Other files include signal_frame.h, which the build maps to this file.
#pragma once

#include <cstdint>

#include "sigsafe/native/unwind_table.h"

namespace jprof {

// Returns `described` unchanged: the C library describes its trampoline exactly (glibc 2.36
// sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c, do_cfa_expr and do_expr).
inline UnwindRule SignalFrameRule(const UnwindRule& described) { return described; }

// Returns false: the trampoline has unwind information.
inline bool IsSignalTrampoline(uint64_t) { return false; }

}  // namespace jprof
