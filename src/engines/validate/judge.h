// Judge compares a walked stack with the true stack, which the probes have noted.
//
// Only probed methods are in the true stack, so the frames of other methods in the walked stack are
// left out of the comparison. So can be a frame that is in the code of its own probes: it is not in
// the true stack before the probe at its entry has run, and after the probe at its end. Such a frame
// is usually the innermost one; it has callees if the JVM loads classes for it. The other methods
// must be the same. Where the bytecode index of a caller is known, the walked one must be equal.
//
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace jprof {

enum class Verdict : uint8_t {
#define VERDICT(id, name, sort) id,
#include "engines/validate/verdicts.def"
};
enum class VerdictClass : uint8_t { kAgrees, kWrong, kBeside, kNotJudged };

inline constexpr std::string_view kVerdictNames[] = {
#define VERDICT(id, name, sort) name,
#include "engines/validate/verdicts.def"
};
inline constexpr VerdictClass kVerdictClasses[] = {
#define VERDICT(id, name, sort) VerdictClass::sort,
#include "engines/validate/verdicts.def"
};
inline constexpr size_t kVerdictCount = std::size(kVerdictNames);

// A Java frame of the walked stack.
struct JudgedFrame {
  uint32_t number = 0;        // number of the probed method; 0 if the method is not probed
  int32_t bci = -1;           // bytecode index
  bool is_compiled = false;   // the frame is compiled, or inlined into compiled code
  bool is_inlined = false;    // the frame is inlined into the next frame that is not
  bool is_in_probes = false;  // `bci` is in the code of the method's own probes
};

// An entry of the true stack.
struct TrueEntry {
  uint32_t number;     // number of the probed method
  int32_t caller_bci;  // bytecode index of its probed caller; -1 if unknown
};

struct Judgement {
  Verdict verdict;  // kEqual or one of the class kWrong
  // True if all differences are in the frames that are inlined into the innermost physical frame,
  // or in this frame, and the frame is compiled.
  bool is_confined = false;
};

// `walked`: callee first. `truth`: the outermost method first.
Judgement Judge(std::span<const JudgedFrame> walked, std::span<const TrueEntry> truth);

}  // namespace jprof
