#include "instrument/probe_places.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "instrument/operand_marks.h"
#include "instrument/stack_map_reader.h"

namespace jprof::instrument {
namespace {

// The most marks that are copied or compared and handlers that are visited: far more than the code
// that a compiler writes before super() needs, and a fraction of a second of work.
constexpr uint64_t kMaxWork = uint64_t{1} << 22;

// Visits all instructions that can run before super() or this() has returned.
class SuperCallSearch {
 public:
  SuperCallSearch(const ClassFile& file, const Code& code) : file_(file), code_(code) {
    places_.before_entry.assign(code.instructions().size(), false);
  }

  Result<ProbePlaces, NotProbed> Run(const Method& method) {
    Reach(0, OperandMarks());
    ReachFrames(method);
    while (!pending_.empty() && !failure_) {
      const uint32_t index = pending_.back();
      pending_.pop_back();
      Visit(index);
    }
    if (failure_) return *failure_;
    auto& calls = places_.super_calls;
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    if (calls.empty()) return NotProbed::kNoSuperCall;
    if (!PartsAreApart()) return NotProbed::kSharedHandler;
    return std::move(places_);
  }

 private:
  // Adds the frames of the stack map: they mark the object in code that is never reached, which the
  // verifier checks, too.
  void ReachFrames(const Method& method) {
    if (file_.major_version < kFirstWithStackMaps) return;
    for (const Attribute& attribute : code_.attributes()) {
      if (attribute.name != "StackMapTable") continue;
      auto initial = InitialLocals(method, file_);
      if (!initial) return Fail(NotProbed::kMalformed);
      StackMapReader frames(attribute.content, std::move(*initial));
      while (frames.Next() && !failure_) ReachFrame(frames);
      if (frames.failed()) Fail(NotProbed::kMalformed);
    }
  }

  void ReachFrame(const StackMapReader& frame) {
    Work(frame.locals().size());
    const bool is_raw = std::any_of(
        frame.locals().begin(), frame.locals().end(),
        [](const VerificationType& type) { return type.tag == TypeTag::kUninitializedThis; });
    const uint32_t index = code_.IndexAt(frame.bci());
    if (index == Code::kNone) return Fail(NotProbed::kMalformed);
    if (is_raw) Reach(index, OperandMarks(frame.locals(), frame.stack()));
  }

  void Visit(uint32_t index) {
    OperandMarks marks = at_.find(index)->second;
    const Instruction& instruction = code_.instructions()[index];
    if (instruction.opcode == kOp_jsr || instruction.opcode == kOp_jsr_w ||
        instruction.opcode == kOp_ret) {
      return Fail(NotProbed::kTooComplex);
    }
    Work(code_.handlers().size());
    for (const Handler& handler : code_.handlers()) {
      if (handler.start <= instruction.bci && instruction.bci < handler.end) {
        Reach(code_.IndexAt(handler.handler), marks.Caught());
      }
    }
    switch (marks.Step(code_, index, file_.pool)) {
      case OperandMarks::Outcome::kMalformed:
        return Fail(NotProbed::kMalformed);
      case OperandMarks::Outcome::kSuperCall:
        places_.super_calls.push_back(index);
        return;
      case OperandMarks::Outcome::kNext:
        break;
    }
    code_.ForEachBranch(index, [&](size_t, size_t, int64_t target) {
      Reach(code_.IndexAt(static_cast<uint32_t>(target)), marks);
    });
    if (!NeverFallsThrough(instruction.opcode)) Reach(index + 1, marks);
  }

  void Reach(uint32_t index, const OperandMarks& marks) {
    if (failure_) return;
    if (index >= code_.instructions().size()) return Fail(NotProbed::kMalformed);
    Work(1 + marks.size());
    const auto [found, is_new] = at_.try_emplace(index, marks);
    bool changed = is_new;
    if (!is_new && !found->second.Merge(marks, changed)) return Fail(NotProbed::kMalformed);
    if (!changed) return;
    places_.before_entry[index] = true;
    pending_.push_back(index);
  }

  // True if no instruction after super() leads to one before it, by falling through, by a branch or
  // by a handler.
  bool PartsAreApart() const {
    std::vector<uint32_t> entered_until(code_.instructions().size() + 1, 0);
    bool apart = true;
    for (uint32_t index = 0; index < code_.instructions().size(); ++index) {
      const bool entered = places_.Entered(index);
      entered_until[index + 1] = entered_until[index] + (entered ? 1 : 0);
      const bool is_call =
          std::binary_search(places_.super_calls.begin(), places_.super_calls.end(), index);
      if (!entered && !is_call) continue;
      if (!NeverFallsThrough(code_.instructions()[index].opcode) && !EnteredAt(index + 1)) {
        apart = false;
      }
      code_.ForEachBranch(index, [&](size_t, size_t, int64_t target) {
        if (!EnteredAt(code_.IndexAt(static_cast<uint32_t>(target)))) apart = false;
      });
    }
    for (const Handler& handler : code_.handlers()) {
      const uint32_t end = handler.end == code_.bytes().size()
                               ? static_cast<uint32_t>(code_.instructions().size())
                               : code_.IndexAt(handler.end);
      const bool covers_entered = entered_until[end] != entered_until[code_.IndexAt(handler.start)];
      if (covers_entered && !EnteredAt(code_.IndexAt(handler.handler))) apart = false;
    }
    return apart;
  }

  bool EnteredAt(uint32_t index) const {
    return index < code_.instructions().size() && places_.Entered(index);
  }

  void Work(uint64_t amount) {
    work_ += amount;
    if (work_ > kMaxWork) Fail(NotProbed::kTooComplex);
  }
  void Fail(NotProbed reason) {
    if (!failure_) failure_ = reason;
  }

  const ClassFile& file_;
  const Code& code_;
  ProbePlaces places_;
  std::unordered_map<uint32_t, OperandMarks> at_;  // keyed by instruction
  std::vector<uint32_t> pending_;
  uint64_t work_ = 0;
  std::optional<NotProbed> failure_;
};

}  // namespace

Result<ProbePlaces, NotProbed> FindProbePlaces(const ClassFile& file, const Method& method,
                                               const Code& code) {
  if (method.name != "<init>" || !file.has_superclass) return ProbePlaces();
  return SuperCallSearch(file, code).Run(method);
}

}  // namespace jprof::instrument
