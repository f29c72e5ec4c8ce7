// The behaviour of breakpoints that signal, on x86-64. Other files include breakpoint_signals.h, which
// the build maps to this file.
#pragma once

namespace jprof {

// True: after the signal the thread executes the instruction of the breakpoint (Linux v6.1
// arch/x86/kernel/hw_breakpoint.c, hw_breakpoint_handler sets the resume flag).
inline constexpr bool kBreakpointsLetGo = true;

}  // namespace jprof
