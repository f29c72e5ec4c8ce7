#include "unwind/unwind_compiler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sigsafe/native/frame_program.h"

namespace jprof {
namespace {

// The maximum number of bytes that are read per byte of the frame sections. Only malicious files
// reach this limit: in them many entries share the same bytes.
constexpr uint64_t kMaxBytesPerByte = 4;

// The number of functions that are processed between two calls of IsCancelled.
constexpr size_t kFunctionsPerCancelCheck = 256;

// A function in the compiled code. The members are 32-bit offsets, not addresses, because tens of
// thousands of functions are in memory at once for libjvm.so.
struct Function {
  uint32_t begin;  // offset in the code
  uint32_t end;
  uint32_t entry;  // offset of the entry in its section
  bool is_debug_frame;
};

class TableCompiler {
 public:
  TableCompiler(const FrameIndex& eh_frame, const FrameIndex& debug_frame, uint64_t load_bias,
                const AddressRange& code)
      : eh_(SectionOf(eh_frame, FrameFormat::kEhFrame)),
        debug_(SectionOf(debug_frame, FrameFormat::kDebugFrame)),
        load_bias_(load_bias),
        code_(code),
        budget_((eh_frame.image.bytes.size() + debug_frame.image.bytes.size()) * kMaxBytesPerByte),
        builder_(code.end - code.begin) {}

  // Collects the functions of the code. Returns false if the compilation was cancelled.
  bool Collect(const FrameIndex& eh_frame, const FrameIndex& debug_frame,
               const IsCancelled& is_cancelled) {
    functions_.reserve(eh_frame.functions.size());
    for (size_t i = 0; i < eh_frame.functions.size(); ++i) {
      if (i % kFunctionsPerCancelCheck == 0 && is_cancelled()) return false;
      Keep(eh_frame.functions[i], false);
    }
    SortAndCut();
    if (debug_frame.functions.empty()) return true;
    const std::vector<Function> covered = functions_;
    for (const uint64_t entry : debug_frame.functions) Keep(entry, true, covered);
    SortAndCut();
    return true;
  }

  Result<BuiltTable> Build(const IsCancelled& is_cancelled) {
    for (size_t i = 0; i < functions_.size(); ++i) {
      if (i % kFunctionsPerCancelCheck == 0 && is_cancelled()) return Error("cancelled");
      const Function& function = functions_[i];
      Append(function);
      const bool is_followed = i + 1 < functions_.size() && functions_[i + 1].begin <= function.end;
      if (!is_followed) builder_.Add(function.end, {});
    }
    functions_ = {};
    return builder_.Build();
  }

 private:
  static FrameSection SectionOf(const FrameIndex& index, FrameFormat format) {
    return {std::span(index.image.bytes).subspan(index.section),
            index.image.address + index.section, format};
  }

  void Keep(uint64_t entry, bool is_debug_frame, const std::vector<Function>& covered = {}) {
    if (entry > UINT32_MAX) return;
    Function function{0, 0, static_cast<uint32_t>(entry), is_debug_frame};
    const std::optional<FunctionFrame> frame = FrameOf(function);
    if (!frame || frame->begin >= frame->end) return;
    if (frame->begin < code_.begin || frame->begin >= code_.end) return;
    const uint64_t end = std::min(frame->end, code_.end) - code_.begin;
    if (end > UINT32_MAX) return;  // the builder refuses such code, too
    function.begin = static_cast<uint32_t>(frame->begin - code_.begin);
    function.end = static_cast<uint32_t>(end);
    const auto behind = std::ranges::upper_bound(covered, function.begin, {}, &Function::begin);
    if (behind != covered.begin() && function.begin < std::prev(behind)->end) return;
    functions_.push_back(function);
  }

  // Sorts the functions by their starts. If a function overlaps the next one, cuts it off where the
  // next one starts.
  void SortAndCut() {
    // The functions from .eh_frame_hdr are usually sorted already, and sorting doubles the memory.
    if (!std::ranges::is_sorted(functions_, {}, &Function::begin)) {
      std::ranges::stable_sort(functions_, {}, &Function::begin);
    }
    for (size_t i = 0; i < functions_.size(); ++i) {
      Function& function = functions_[i];
      if (i + 1 < functions_.size()) function.end = std::min(function.end, functions_[i + 1].begin);
    }
  }

  std::optional<FunctionFrame> FrameOf(const Function& function) {
    FrameSection& section = function.is_debug_frame ? debug_ : eh_;
    std::optional<FunctionFrame> frame = section.FunctionAt(function.entry);
    if (!frame || !function.is_debug_frame) return frame;
    frame->begin += load_bias_;
    frame->end += load_bias_;
    return frame;
  }

  void Append(const Function& function) {
    const std::optional<FunctionFrame> frame = FrameOf(function);
    if (!frame) return;
    const uint64_t cost =
        frame->instructions.size() + frame->common->instructions.size() + sizeof(uint64_t);
    if (cost > budget_) return builder_.Add(function.begin, {});
    budget_ -= cost;
    FrameProgram program(*frame);
    for (RuleStart start; program.Next(&start);) {
      const uint64_t offset = start.address - code_.begin;
      if (offset >= function.end) break;
      builder_.Add(offset, start.rule);
    }
  }

  FrameSection eh_;
  FrameSection debug_;
  const uint64_t load_bias_;
  const AddressRange code_;
  uint64_t budget_;
  UnwindTableBuilder builder_;
  std::vector<Function> functions_;
};

}  // namespace

Result<BuiltTable> CompileTable(const FrameIndex& eh_frame, const FrameIndex& debug_frame,
                                uint64_t load_bias, const AddressRange& code,
                                const IsCancelled& is_cancelled) {
  TableCompiler compiler(eh_frame, debug_frame, load_bias, code);
  if (!compiler.Collect(eh_frame, debug_frame, is_cancelled)) return Error("cancelled");
  return compiler.Build(is_cancelled);
}

Result<std::vector<BuiltTable>> CompileUnwindTables(const Library& library,
                                                    const FrameIndexes& frames,
                                                    const IsCancelled& is_cancelled) {
  std::vector<BuiltTable> tables;
  for (const AddressRange& code : library.executable) {
    Result<BuiltTable> table =
        CompileTable(frames.eh_frame, frames.debug_frame, library.load_bias, code, is_cancelled);
    if (!table) return table.error();
    tables.push_back(std::move(table).value());
  }
  return tables;
}

}  // namespace jprof
