#include "engines/method/probe_notes.h"

#include <algorithm>
#include <utility>

#include "engines/method/traced_methods.h"

namespace jprof {
namespace {

constexpr size_t kMostNotes = 20;

}  // namespace

void ProbeNotes::Add(std::string line) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::count(lines_, line) != 0) return;
  if (lines_.size() == kMostNotes) {
    ++unsaid_;
  } else {
    lines_.push_back(std::move(line));
  }
}

void ProbeNotes::AddUnnumbered() {
  const std::lock_guard lock(mutex_);
  ++unnumbered_;
}

std::vector<std::string> ProbeNotes::Take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes = std::exchange(lines_, {});
  if (unsaid_ != 0) {
    notes.push_back("warning: " + std::to_string(std::exchange(unsaid_, 0)) + " more of this kind");
  }
  if (unnumbered_ != 0) {
    notes.push_back("warning: " + std::to_string(std::exchange(unnumbered_, 0)) +
                    " methods more are not traced: " + std::to_string(TracedMethods::kMost) +
                    " at a time are the limit");
  }
  return notes;
}

}  // namespace jprof
