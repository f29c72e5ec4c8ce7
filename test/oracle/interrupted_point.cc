#include "oracle/interrupted_point.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "sigsafe/os/raw_syscall.h"
#include "sigsafe/os/safe_load.h"
#include "sigsafe/os/thread_id.h"

namespace jprof::test {
namespace {

constexpr int kSignal = SIGUSR1;

InterruptedPoint g_point;
StackBounds g_bounds;
std::atomic<bool> g_filled;

void Walk(const ucontext_t* context) {
  const NativeRegisters start = NativeRegistersOf(context);
  StackMemory memory(start.sp, g_bounds, LoadFaults::kFatal);
  NativeCursor cursor(&NativeCode::OfProcess(), &memory, start, context);
  g_point.frame_count = 0;
  g_point.frames_by_rule = g_point.kMaxFrames;
  g_point.end = StepOutcome::kFrame;
  while (g_point.end == StepOutcome::kFrame && g_point.frame_count < g_point.kMaxFrames) {
    g_point.frames[g_point.frame_count++] = {cursor.registers().pc, cursor.registers().sp};
    g_point.end = cursor.Step();
    if (g_point.end != StepOutcome::kNoInformation) continue;
    g_point.frames_by_rule = std::min(g_point.frames_by_rule, g_point.frame_count);
    g_point.end = cursor.StepWithoutRule();
  }
  g_point.frames_by_rule = std::min(g_point.frames_by_rule, g_point.frame_count);
}

void OnSignal(int, siginfo_t*, void* data) {
  const auto* context = static_cast<const ucontext_t*>(data);
  memcpy(g_point.registers, context->uc_mcontext.gregs, sizeof g_point.registers);
  Walk(context);
  const uint64_t sp = g_point.frames[0].sp;
  g_point.stack_begin = sp - InterruptedPoint::kRedZone;
  const uint64_t size =
      g_bounds.high != 0 ? g_bounds.high - g_point.stack_begin : InterruptedPoint::kMaxStack;
  g_point.stack_size = SafeCopy(g_point.stack, reinterpret_cast<const void*>(g_point.stack_begin),
                                std::min<uint64_t>(size, InterruptedPoint::kMaxStack));
  g_filled.store(true);
}

}  // namespace

const InterruptedPoint* Interrupt(Tid thread, const StackBounds& bounds) {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(kSignal, &action, nullptr) == 0;
  }();
  if (!installed) return nullptr;
  g_bounds = bounds;
  g_filled.store(false);
  const auto tid = static_cast<long>(Value(thread));
  if (RawSyscall(SYS_tgkill, getpid(), tid, kSignal) != 0) return nullptr;
  while (!g_filled.load()) {
    if (RawSyscall(SYS_tgkill, getpid(), tid, 0) != 0) return nullptr;
    std::this_thread::yield();
  }
  return &g_point;
}

}  // namespace jprof::test
