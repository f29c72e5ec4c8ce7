// AlteredThread: an interrupted thread in the altered form that the walkers see.
//
//   AlteredThread thread(vm, jni_env, context, scratch);   // once for each interruption
//   thread.Alter(Alteration::kStack, random);              // then walk (jni_env(), context())
//   thread.Restore();
//
// Async-signal-safe. The thread itself is not changed: its stack and its JavaThread are copied to
// scratch memory, each followed by a page without access. Pointers into the stack, in either copy,
// are changed to point into the copied stack.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "native/walk_probe/random.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof::test {

// `label` is the name in the printed totals.
#define JPROF_ALTERATIONS(X)                       \
  X(kNone, "nothing")                              \
  X(kRegisters, "registers")                       \
  X(kStack, "stack")                               \
  X(kRegistersAndStack, "registers and stack")     \
  X(kAnchor, "the VM's note of the topmost frame") \
  X(kAll, "all of them")

enum class Alteration : uint8_t {
#define X(name, label) name,
  JPROF_ALTERATIONS(X)
#undef X
};

inline constexpr const char* kAlterationLabels[] = {
#define X(name, label) label,
    JPROF_ALTERATIONS(X)
#undef X
};
inline constexpr size_t kAlterations = sizeof kAlterationLabels / sizeof kAlterationLabels[0];

// The scratch memory of one handler. Each part ends at a page without access.
struct Scratch {
  static constexpr size_t kStackBytes = 16 << 10;
  static constexpr size_t kThreadBytes = 4 << 10;

  uint8_t* stack;
  uint8_t* thread;
};

class AlteredThread {
 public:
  AlteredThread(const HotspotLayout& vm, const void* jni_env, const ucontext_t* context,
                const Scratch& scratch);

  // False if there is nothing to copy, because the signal did not interrupt the thread on its own
  // stack.
  bool has_copy() const { return copied_ != 0; }

  void Alter(Alteration what, Random& random);
  void Restore();

  const void* jni_env() const { return on_copy_ ? copied_env_ : env_; }
  const ucontext_t* context() const { return &altered_; }

 private:
  static constexpr size_t kMaxChanges = 32;
  struct Change {
    uint64_t* at;
    uint64_t was;
  };

  void CopyStack(uint64_t sp, uint64_t high, const Scratch& scratch);
  void CopyThread(uint64_t java_thread, const Scratch& scratch);
  uint64_t Relocated(uint64_t word) const;
  uint64_t Address(Random& random) const;
  uint64_t CodeAddress(Random& random) const;
  uint64_t StackAddress(Random& random) const;
  void Set(uint64_t* at, uint64_t value);
  void AlterWord(uint64_t* at, Random& random);
  void AlterRegisters(Random& random);
  void AlterStack(Random& random);
  void AlterAnchor(Random& random);

  const HotspotLayout& vm_;
  const void* const env_;
  const ucontext_t& original_;
  ucontext_t altered_;
  uint64_t java_thread_copy_ = 0;
  const void* copied_env_ = nullptr;
  bool on_copy_ = false;
  uint64_t low_ = 0;  // lowest copied address of the original stack: its stack pointer
  uint64_t copied_ = 0;
  uint64_t copy_ = 0;
  Change changes_[kMaxChanges];
  size_t change_count_ = 0;
};

}  // namespace jprof::test
