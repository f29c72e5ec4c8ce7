#include "sigsafe/os/fault_handler.h"

#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "sigsafe/base/check.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/os/registers.h"

// The code at which a guarded load continues after a fault. It returns "unreadable".
extern "C" void JprofGuardedLoadFailed();

namespace jprof {
namespace {

struct Place {
  // The action to which the place forwards faults. Written once, before is_taken is set.
  struct sigaction action;
  // Stored with release in TakeFaultPlace, loaded with acquire in ForwardedAction: a thread that
  // loads true also sees the action.
  std::atomic<bool> is_taken;
};
static_assert(std::atomic<bool>::is_always_lock_free);

Place& PlaceOf(int signal, size_t place) {
  static constinit Place on_segv[kFaultPlaces] = {};
  static constinit Place on_bus[kFaultPlaces] = {};
  return (signal == SIGBUS ? on_bus : on_segv)[place];
}

// Stored with release in SetJvmFaultHook, loaded with acquire in HandleFault.
std::atomic<JvmFaultHook> g_jvm_hook{nullptr};
static_assert(std::atomic<JvmFaultHook>::is_always_lock_free);

// The mark of a forwarded fault, at the end of the fault's siginfo. The kernel provides 128 bytes
// of siginfo, of which a fault uses at most the first 48 (SEGV_BNDERR; Linux 6.6
// include/uapi/asm-generic/siginfo.h).
struct Note {
  static constexpr uint64_t kMagic = 0x6a70726f664e6f74;
  static constexpr size_t kOffset = sizeof(siginfo_t) - 3 * sizeof(uint64_t);

  uint64_t magic;
  uint64_t places;  // a bit for each place whose action has been called
  uint64_t frame;   // stack frame of the handler that forwarded the fault last
};
static_assert(sizeof(siginfo_t) == 128 && Note::kOffset + sizeof(Note) == sizeof(siginfo_t));
static_assert(kFaultPlaces <= 64);

char* NoteIn(siginfo_t* info) { return reinterpret_cast<char*>(info) + Note::kOffset; }

// Returns the action to which the handler of `place` forwards a fault, or nullptr if the actions of
// this place and of all earlier places have been called.
const struct sigaction* NextAction(int signal, size_t place, siginfo_t* info, uint64_t frame) {
  Note note;
  memcpy(&note, NoteIn(info), sizeof note);
  // If a handler exits by longjmp, its note stays in memory. The kernel might later write the
  // siginfo of another fault there, and kernels before 4.16 do not clear the rest of that memory.
  // So a note belongs to this fault only if a frame above the current one has written it.
  const bool is_of_this_fault = note.magic == Note::kMagic && frame < note.frame;
  if (!is_of_this_fault) note = {Note::kMagic, 0, 0};
  const auto is_spent = [&](size_t one) {
    return (note.places >> one & 1) != 0 || ForwardedAction(signal, one) == nullptr;
  };
  size_t from = place;
  while (from > 0 && is_spent(from)) --from;
  if (is_spent(from)) return nullptr;
  note.places |= uint64_t{1} << from;
  note.frame = frame;
  memcpy(NoteIn(info), &note, sizeof note);
  return ForwardedAction(signal, from);
}

template <typename Function>
uint64_t AddressOf(Function function) {
  return reinterpret_cast<uint64_t>(function);
}

// If the interrupted instruction is a guarded load, makes the load return "unreadable" once the
// handler returns, and returns true.
bool RecoverGuardedLoad(void* ucontext) {
  auto* context = static_cast<ucontext_t*>(ucontext);
  const uint64_t pc = Value(ProgramCounter(context));
  // The first instruction of each of these functions is its load.
  if (pc != AddressOf(JprofGuardedLoad8) && pc != AddressOf(JprofGuardedLoad4) &&
      pc != AddressOf(JprofGuardedLoad1) && pc != AddressOf(JprofGuardedLoad2)) {
    return false;
  }
  SetProgramCounter(context, Pc{AddressOf(JprofGuardedLoadFailed)});
  return true;
}

template <size_t place>
void HandleFault(int signal, siginfo_t* info, void* ucontext) {
  if (RecoverGuardedLoad(ucontext)) return;
  const auto frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const struct sigaction* const next = NextAction(signal, place, info, frame);
  if (next == nullptr) {
    const JvmFaultHook hook = g_jvm_hook.load(std::memory_order_acquire);
    if (hook != nullptr) hook(signal, info, ucontext, 1);
    return;
  }
  if ((next->sa_flags & SA_SIGINFO) != 0) {
    next->sa_sigaction(signal, info, ucontext);
  } else {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the action of a place has a handler
    next->sa_handler(signal);
  }
  // Clears the note. Without this statement the call above could be a tail call, and the callee's
  // frame would not be below this one.
  memset(NoteIn(info), 0, sizeof(Note));
}

template <size_t... places>
constexpr std::array<FaultHandler, kFaultPlaces> HandlersOf(std::index_sequence<places...>) {
  return {HandleFault<places>...};
}

constexpr auto kHandlers = HandlersOf(std::make_index_sequence<kFaultPlaces>());

}  // namespace

FaultHandler FaultHandlerAt(size_t place) { return kHandlers[place]; }

const struct sigaction* ForwardedAction(int signal, size_t place) {
  const Place& at = PlaceOf(signal, place);
  return at.is_taken.load(std::memory_order_acquire) ? &at.action : nullptr;
}

void TakeFaultPlace(int signal, size_t place, const struct sigaction& action) {
  Place& at = PlaceOf(signal, place);
  JPROF_CHECK(!at.is_taken.load(std::memory_order_relaxed));
  JPROF_CHECK((action.sa_flags & static_cast<int>(SA_RESETHAND)) == 0);
  at.action = action;
  at.is_taken.store(true, std::memory_order_release);
}

void SetJvmFaultHook(JvmFaultHook hook) { g_jvm_hook.store(hook, std::memory_order_release); }

}  // namespace jprof
