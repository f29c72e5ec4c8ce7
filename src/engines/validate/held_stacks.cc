#include "engines/validate/held_stacks.h"

#include <optional>
#include <utility>

namespace jprof {
namespace {

// True if the bytecode indexes in the innermost physical frame are those of the debug information,
// in which an index below 0 stands for the entry of the method.
bool HasDecodedIndexes(const CompiledCode::Decoded& decoded, std::span<const JudgedFrame> walked) {
  for (size_t i = 0; i < decoded.frames.size(); ++i) {
    const int32_t bci = decoded.frames[i].bci;
    if (i >= walked.size() || (bci >= 0 && walked[i].bci != bci)) return false;
  }
  return true;
}

}  // namespace

bool IsAsDecoded(const ProbedMethods& methods, const CompiledCode::Decoded& decoded,
                 std::span<const JudgedFrame> walked) {
  // The JVM has no debug information for the instruction, and the walked stack claims none.
  if (decoded.frames.empty()) {
    return !walked.empty() && !walked.front().is_inlined && walked.front().bci < 0;
  }
  if (!HasDecodedIndexes(decoded, walked)) return false;
  for (size_t i = 0; i < decoded.frames.size(); ++i) {
    const bool is_outermost = i + 1 == decoded.frames.size();
    if (walked[i].is_inlined == is_outermost) return false;
    if (walked[i].number != methods.NumberOf(decoded.frames[i].method)) return false;
  }
  return true;
}

bool HeldStacks::AddIfIndexesDiffer(JudgedStack& stack, Nanos now_ns) {
  const auto decoded = code_.Decode(stack.place.java_pc);
  if (!decoded || HasDecodedIndexes(*decoded, stack.walked)) return false;
  held_.push_back({std::move(stack), true, now_ns});
  return true;
}

bool HeldStacks::JudgeIndexes(Held& held, bool waits) const {
  const auto decoded = code_.Decode(held.stack.place.java_pc);
  const bool differs = decoded && !HasDecodedIndexes(*decoded, held.stack.walked);
  if (differs && waits) return false;
  held.stack.key.verdict = differs ? Verdict::kWrongIndex : Verdict::kEqual;
  return true;
}

bool HeldStacks::JudgeConfined(Held& held, bool waits) const {
  JudgedStack& stack = held.stack;
  const auto decoded = code_.Decode(stack.place.java_pc);
  // If the interrupted instruction is in another compiled method, its frame is missing.
  const InterruptedCode& code = stack.place.code;
  const bool is_elsewhere = code.begin != 0 && code_.Decode(stack.place.pc) &&
                            (stack.place.java_pc < code.begin || stack.place.java_pc >= code.end);
  if (!decoded || is_elsewhere || !IsAsDecoded(methods_, *decoded, stack.walked)) return !waits;
  stack.key.verdict = decoded->was_compiled_before ? Verdict::kCoarse : Verdict::kMoved;
  return true;
}

}  // namespace jprof
