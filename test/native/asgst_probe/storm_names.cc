#include "native/asgst_probe/storm_names.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace jprof::test {
namespace {

constexpr int kNoStep = -1;
constexpr int kSteps = 6;

// The lines of a version of WalkedStepsA: step K begins on the line first + K * each, and calls the
// next step on the line with the distance `call` from there.
struct Lines {
  int first;
  int each;
  int call;
};
constexpr Lines kVersions[] = {{5, 6, 2}, {11, 10, 6}};  // WalkedStepsA.java, WalkedStepsB.java

bool IsInMethod(int line, int step) {
  for (const Lines& lines : kVersions) {
    const int first = lines.first + step * lines.each;
    if (line >= first && line < first + lines.each) return true;
  }
  return false;
}

bool IsCall(int line, int step) {
  for (const Lines& lines : kVersions) {
    if (line == lines.first + step * lines.each + lines.call) return true;
  }
  return false;
}

// Returns the number at the end of the text, after the prefix; -1 if there is none.
int NumberAfter(const char* text, const char* prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(text, prefix, length) != 0) return -1;
  int number = 0;
  const char* digit = text + length;
  for (; *digit >= '0' && *digit <= '9'; ++digit) number = number * 10 + (*digit - '0');
  return digit == text + length ? -1 : number;
}

}  // namespace

bool StormNames::Find(ASGST_Method method, Names* names) const {
  ASGST_MethodInfo info{};
  info.method_name = names->method;
  info.method_name_length = kNameBytes;
  ASGST_ClassInfo declaring{};
  declaring.class_name = names->declaring;
  declaring.class_name_length = kNameBytes;
  return api_.ASGST_GetMethodInfo(method, &info) == 1 &&
         api_.ASGST_GetClassInfo(info.klass, &declaring) == 1;
}

int StormNames::Check(ASGST_Iterator* iterator) {
  ASGST_Frame frame;
  Names names;
  int result = 0;
  int callee = kNoStep;
  bool is_wrong = false;
  bool is_unnamed = false;
  while ((result = api_.ASGST_NextFrame(iterator, &frame)) == 1) {
    if (frame.type == ASGST_FRAME_NON_JAVA) continue;
    frames_.fetch_add(1, std::memory_order_relaxed);
    if (!Find(frame.method, &names)) {
      unnamed_.fetch_add(1, std::memory_order_relaxed);
      is_unnamed = true;
      callee = kNoStep;
      continue;
    }
    callee = CheckStep(frame, names, callee, &is_wrong);
    is_wrong = is_wrong || IsWrongThrowaway(names);
  }
  if (is_wrong) wrong_.fetch_add(1, std::memory_order_relaxed);
  if (is_wrong || is_unnamed) Keep(iterator);
  return result;
}

int StormNames::CheckStep(const ASGST_Frame& frame, const Names& names, int callee,
                          bool* is_wrong) {
  const bool is_steps = strcmp(names.declaring, "WalkedStepsA") == 0;
  const int step = is_steps ? NumberAfter(names.method, "step") : kNoStep;
  // Only a step has called the next step.
  if (callee > 0 && step != callee - 1) *is_wrong = true;
  if (!is_steps) return kNoStep;
  steps_.fetch_add(1, std::memory_order_relaxed);
  if (step < 0 || step >= kSteps) *is_wrong = true;
  if (frame.bci < 0) return step;
  const int line = api_.ASGST_GetMethodLineNumber(frame.method, frame.bci);
  if (!IsInMethod(line, step)) *is_wrong = true;
  if (callee != kNoStep) {
    calls_.fetch_add(1, std::memory_order_relaxed);
    if (!IsCall(line, step)) other_lines_.fetch_add(1, std::memory_order_relaxed);
  }
  return step;
}

// The class "Storm000012" has the method "bu_0000012". A hidden class has an address after its name.
bool StormNames::IsWrongThrowaway(const Names& names) {
  const int number = NumberAfter(names.declaring, "Storm");
  const int of_method = NumberAfter(names.method, "bu_");
  if (number < 0 && of_method < 0) return false;
  throwaways_.fetch_add(1, std::memory_order_relaxed);
  return number < 0 || (of_method >= 0 && of_method != number);
}

namespace {

// Returns the code around the address in hexadecimal digits, as it is now; the byte at the address is
// in brackets. Returns "" if the code is no longer mapped.
std::string CodeAround(const void* pc) {
  constexpr size_t kBefore = 24;
  uint8_t bytes[kBefore + 16];
  const iovec to{bytes, sizeof bytes};
  const iovec from{reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(pc) - kBefore),
                   sizeof bytes};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(sizeof bytes)) {
    return "";
  }
  std::string text;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    char digits[8];
    snprintf(digits, sizeof digits, i == kBefore ? " [%02x]" : " %02x", bytes[i]);
    text += digits;
  }
  return text;
}

}  // namespace

void StormNames::Keep(ASGST_Iterator* iterator) {
  if (has_example_.exchange(true)) return;
  api_.ASGST_RewindIterator(iterator);
  ASGST_Frame frame;
  size_t size = 0;
  int result = 0;
  while ((result = api_.ASGST_NextFrame(iterator, &frame)) == 1 && size < kExampleBytes / 2) {
    Names names{"?", "?"};
    static_cast<void>(Find(frame.method, &names));
    size += static_cast<size_t>(
        snprintf(example_ + size, kExampleBytes - size,
                 "  %s.%s %p type %d level %d bci %d pc %p sp %p fp %p%s\n", names.declaring,
                 names.method, static_cast<void*>(frame.method), frame.type, frame.comp_level,
                 frame.bci, frame.pc, frame.sp, frame.fp, CodeAround(frame.pc).c_str()));
  }
  snprintf(example_ + size, kExampleBytes - size, "  end %d\n", result);
}

std::string StormNames::Text() const {
  const auto line = [](const char* name, uint64_t value) {
    return std::string("names.") + name + "=" + std::to_string(value) + "\n";
  };
  return line("frames", frames_) + line("unnamed", unnamed_) + line("wrong", wrong_) +
         line("steps", steps_) + line("calls", calls_) + line("other_lines", other_lines_) +
         line("throwaways", throwaways_) + example_;
}

}  // namespace jprof::test
