// The behaviour of breakpoints that signal, on AArch64. Other files include breakpoint_signals.h, which
// the build maps to this file.
#pragma once

namespace jprof {

// False: the signal is delivered before the kernel has stepped over the instruction of the breakpoint.
// When the handler returns, the thread meets the breakpoint again, forever (Linux v6.1
// arch/arm64/kernel/hw_breakpoint.c, breakpoint_handler).
inline constexpr bool kBreakpointsLetGo = false;

}  // namespace jprof
