#include "sigsafe/validation/agct_calls.h"

#include <sys/prctl.h>

#include <algorithm>

#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

// The first byte of a note whose call is being made.
constexpr char kFirst = 't';
constexpr std::string_view kAfterFirst = "hread ";
constexpr size_t kMostThreadName = 16;

// The last byte of the note stays 0.
BoundedText TextAfterFirst(Region note) {
  return {static_cast<char*>(note.data) + 1, AgctCalls::kNoteBytes - 2};
}

}  // namespace

AgctCall::AgctCall(AgctCalls& calls)
    : calls_(calls),
      has_begun_(!calls.is_calling_.test_and_set(std::memory_order_acquire)),
      text_(TextAfterFirst(calls.note_)) {}

AgctCall::~AgctCall() {
  if (has_begun_) calls_.is_calling_.clear(std::memory_order_release);
}

BoundedText& AgctCall::BeginNote(Layer layer, Tier tier) {
  char name[kMostThreadName] = {};
  static_cast<void>(RawSyscall(SYS_prctl, PR_GET_NAME, RawArgument(name)));
  text_.Append(kAfterFirst).AppendDecimal(Value(CurrentTid())).Append(" ").AppendArray(name);
  text_.Append("\nlayer ").Append(TextOf(layer));
  text_.Append("\nwalker ").Append(TextOf(JudgedWalker::kAsgct));
  text_.Append("\ntier ").Append(TextOf(tier)).Append("\n");
  return text_;
}

AsgctResult AgctCall::Run(AsgctFunction function, void* jni_env, void* context, AsgctFrame* frames,
                          uint32_t depth) {
  char* const note = static_cast<char*>(calls_.note_.data);
  note[1 + text_.view().size()] = 0;
  // release: the note is complete before its first byte. It is read after the process has ended.
  std::atomic_ref<char>(*note).store(kFirst, std::memory_order_release);
  const AsgctResult result = WalkByAsgct(function, jni_env, context, frames, depth);
  std::atomic_ref<char>(*note).store(0, std::memory_order_release);
  return result;
}

void AppendStack(const Stack& stack, BoundedText& text) {
  uint32_t appended = 0;
  for (uint32_t i = 0; i < stack.count && appended < AgctCall::kFrames; ++i) {
    const Frame& frame = stack.frames[i];
    if (!IsJava(frame) || stack.methods == nullptr) continue;
    AppendMethod(*stack.vm, stack.methods[i], text);
    text.Append(" @ ").AppendDecimal(frame.bci);
    if (frame.kind == FrameKind::kInlined) text.Append(" inlined");
    text.Append("\n");
    ++appended;
  }
}

}  // namespace jprof
