#include "native/walk_probe/altered_thread.h"

#include <algorithm>
#include <cstring>

#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/safe_load.h"

namespace jprof::test {
namespace {

constexpr uint64_t kWord = 8;
constexpr uint64_t kPage = 4096;

uint64_t* At(uint64_t address) { return reinterpret_cast<uint64_t*>(address); }

uint64_t AroundZero(Random& random, uint64_t reach) { return random.Below(2 * reach) - reach; }

}  // namespace

AlteredThread::AlteredThread(const HotspotLayout& vm, const void* jni_env,
                             const ucontext_t* context, const Scratch& scratch)
    : vm_(vm), env_(jni_env), original_(*context), altered_(*context) {
  const uint64_t java_thread =
      reinterpret_cast<uint64_t>(jni_env) - static_cast<uint64_t>(vm.env_offset);
  StackBounds stack;
  const auto sp = static_cast<uint64_t>(original_.uc_mcontext.gregs[REG_RSP]);
  if (!LoadStackBounds(vm, java_thread, &stack) || sp < stack.low || sp >= stack.high) return;
  if (sp % kWord != 0) return;
  CopyStack(sp, stack.high, scratch);
  CopyThread(java_thread, scratch);
}

void AlteredThread::CopyStack(uint64_t sp, uint64_t high, const Scratch& scratch) {
  const uint64_t size = std::min<uint64_t>(high - sp, Scratch::kStackBytes);
  const auto end = reinterpret_cast<uint64_t>(scratch.stack) + Scratch::kStackBytes;
  if (SafeCopy(At(end - size), At(sp), size) != size) return;
  low_ = sp;
  copied_ = size;
  copy_ = end - size;
  for (uint64_t i = 0; i < size; i += kWord) *At(copy_ + i) = Relocated(*At(copy_ + i));
}

void AlteredThread::CopyThread(uint64_t java_thread, const Scratch& scratch) {
  if (copied_ == 0) return;
  java_thread_copy_ = reinterpret_cast<uint64_t>(scratch.thread);
  copied_env_ = scratch.thread + vm_.env_offset;
  static_cast<void>(SafeCopy(scratch.thread, At(java_thread), Scratch::kThreadBytes));
  *At(java_thread_copy_ + vm_.thread_stack_base.offset) = copy_ + copied_;
  *At(java_thread_copy_ + vm_.thread_stack_size.offset) = copied_;
  for (const VmField* field : {&vm_.anchor_sp, &vm_.anchor_fp}) {
    uint64_t* const word = At(java_thread_copy_ + vm_.thread_anchor + field->offset);
    *word = Relocated(*word);
  }
  if (vm_.thread_continuation.exists()) {
    uint64_t* const word = At(java_thread_copy_ + vm_.thread_continuation.offset);
    *word = Relocated(*word);
  }
}

uint64_t AlteredThread::Relocated(uint64_t word) const {
  return word - low_ < copied_ ? word - low_ + copy_ : word;
}

uint64_t AlteredThread::CodeAddress(Random& random) const {
  switch (random.Below(6)) {
    case 0:
      return vm_.code_low + random.Below(vm_.code_high - vm_.code_low);
    case 1:
      return vm_.interpreter_begin + random.Below(vm_.interpreter_end - vm_.interpreter_begin);
    case 2:
      return vm_.call_stub_return + AroundZero(random, 2);
    case 3:
      return vm_.ContinuationReturn() + AroundZero(random, 2);
    case 4:
      return random.Once(2) ? vm_.code_low - 1 + random.Below(3)
                            : vm_.code_high - 1 + random.Below(3);
    default:  // near the interrupted instruction
      return static_cast<uint64_t>(original_.uc_mcontext.gregs[REG_RIP]) + AroundZero(random, 64);
  }
}

uint64_t AlteredThread::StackAddress(Random& random) const {
  const auto sp = static_cast<uint64_t>(original_.uc_mcontext.gregs[REG_RSP]);
  const uint64_t from = on_copy_ ? copy_ : sp;
  const uint64_t size = copied_ == 0 ? kPage : copied_;
  switch (random.Below(6)) {
    case 0:
      return from + AroundZero(random, 16) * kWord;
    case 1:
      return from + random.Below(size);  // usually not aligned
    case 2:
      return from + size - random.Below(16);
    case 3:
      return from + size + random.Below(1 << 20);  // beyond the end of the stack
    case 4:
      return from - random.Below(64 << 20);  // other stacks and guard pages
    default:
      return from + random.Below(size) / kWord * kWord;
  }
}

uint64_t AlteredThread::Address(Random& random) const {
  switch (random.Below(10)) {
    case 0:
      return random.Next();
    case 1:
      return random.Below(2 * kPage);
    case 2:  // addresses that are not canonical or belong to the kernel
      return (random.Once(2) ? uint64_t{1} << 47 : ~uint64_t{0} << 47) + AroundZero(random, kPage);
    case 3:
      return ~uint64_t{0} - random.Below(32);
    case 4:
    case 5:
      return CodeAddress(random);
    case 6:
    case 7:
      return StackAddress(random);
    case 8:  // words on the stack: return addresses, frame pointers, objects
      if (copied_ != 0) return *At(copy_ + random.Below(copied_ / kWord) * kWord);
      return random.Next();
    default:  // this library and others near it
      return reinterpret_cast<uint64_t>(&SafeCopy) + AroundZero(random, 64 << 20);
  }
}

void AlteredThread::Set(uint64_t* at, uint64_t value) {
  if (change_count_ == kMaxChanges) return;
  changes_[change_count_++] = {at, *at};
  *at = value;
}

void AlteredThread::AlterWord(uint64_t* at, Random& random) {
  switch (random.Below(5)) {
    case 0:
      return Set(at, *at ^ uint64_t{1} << random.Below(64));
    case 1:
      return Set(at, *at + AroundZero(random, 32));
    case 2:
      return Set(at, 0);
    default:
      return Set(at, Address(random));
  }
}

void AlteredThread::AlterRegisters(Random& random) {
  constexpr int kMostWanted[] = {REG_RIP, REG_RSP, REG_RBP, REG_RAX, REG_R13, REG_RBX};
  auto& registers = altered_.uc_mcontext.gregs;
  const uint64_t count = 1 + random.Below(4);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t which = random.Below(8);
    const int number = which < 6 ? kMostWanted[which] : static_cast<int>(random.Below(REG_RIP + 1));
    const auto old = static_cast<uint64_t>(registers[number]);
    const uint64_t value = random.Once(3) ? old + AroundZero(random, 32)
                           : number == REG_RIP
                               ? (random.Once(2) ? CodeAddress(random) : Address(random))
                           : number <= REG_R15 ? Address(random)
                           : random.Once(2)    ? StackAddress(random)
                                               : Address(random);
    registers[number] = static_cast<greg_t>(value);
  }
}

void AlteredThread::AlterStack(Random& random) {
  const uint64_t words = copied_ / kWord;
  const uint64_t count = 1 + random.Below(random.Once(4) ? 24 : 4);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t near = random.Once(2) ? std::min<uint64_t>(words, 48) : words;
    uint64_t* const at = At(copy_ + random.Below(near) * kWord);
    if (random.Once(6)) {  // a copy of another word of the stack
      Set(at, *At(copy_ + random.Below(words) * kWord));
    } else {
      AlterWord(at, random);
    }
  }
}

void AlteredThread::AlterAnchor(Random& random) {
  const VmField* const fields[] = {&vm_.anchor_sp, &vm_.anchor_pc, &vm_.anchor_fp};
  const uint64_t count = 1 + random.Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    AlterWord(At(java_thread_copy_ + vm_.thread_anchor + fields[random.Below(3)]->offset), random);
  }
  for (const VmField* field : {&vm_.thread_continuation, &vm_.thread_polled_pc}) {
    if (field->exists() && random.Once(3)) {
      AlterWord(At(java_thread_copy_ + field->offset), random);
    }
  }
}

void AlteredThread::Alter(Alteration what, Random& random) {
  const bool stack = what == Alteration::kStack || what == Alteration::kRegistersAndStack ||
                     what == Alteration::kAll;
  const bool anchor = what == Alteration::kAnchor || what == Alteration::kAll;
  const bool registers = what == Alteration::kRegisters || what == Alteration::kRegistersAndStack ||
                         what == Alteration::kAll;
  on_copy_ = has_copy() && (stack || anchor || (registers && random.Once(2)));
  if (on_copy_) {
    for (auto& value : altered_.uc_mcontext.gregs) {
      value = static_cast<greg_t>(Relocated(static_cast<uint64_t>(value)));
    }
  }
  if (stack && on_copy_) AlterStack(random);
  if (anchor && on_copy_) AlterAnchor(random);
  if (registers || (what != Alteration::kNone && !on_copy_)) AlterRegisters(random);
}

void AlteredThread::Restore() {
  // Goes backwards, because the same word can have been changed twice.
  while (change_count_ > 0) {
    const Change& change = changes_[--change_count_];
    *change.at = change.was;
  }
  memcpy(altered_.uc_mcontext.gregs, original_.uc_mcontext.gregs,
         sizeof original_.uc_mcontext.gregs);
  on_copy_ = false;
}

}  // namespace jprof::test
