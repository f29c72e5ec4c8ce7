// ProfilePart: copies the used part of one profile into another: each requested method, thread and
// stack, under a number of its own. Part of ReadSlices; not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace jprof::profile {

// Returns the element for `number`; a table that is too short grows to `size`, the size of the
// whole profile's table.
template <class T>
T& PlaceOf(std::vector<T>& table, uint32_t number, size_t size) {
  if (table.size() <= number) table.resize(std::max<size_t>(size, size_t{number} + 1));
  return table[number];
}

class ProfilePart {
 public:
  // REQUIRES: both outlive the object. `part` can already hold the content of other recordings.
  ProfilePart(const Profile& whole, Profile& part) : whole_(whole), part_(part) {}

  // Thread, State, Stack, ReversedStack, Labels and Kind convert numbers of the whole profile to
  // numbers of the part.
  uint32_t Thread(uint32_t number);
  uint32_t State(uint32_t number);
  uint32_t Stack(uint32_t number);
  // Used instead of Stack: the stack starts at its innermost frame.
  uint32_t ReversedStack(uint32_t number);
  // Called when the whole profile has forgotten its stacks.
  void ForgetStacks() { stacks_.clear(); }
  uint32_t Labels(uint32_t number);
  // The samples of the kind weigh `unit` in the part.
  uint32_t Kind(uint32_t number, SampleUnit unit);
  bool HasKind(uint32_t number) const { return number < kinds_.size() && kinds_[number] != 0; }

  // Adds the facts about the process: the JVM, the libraries, the source files of classes. Called
  // once.
  void AddProcess();

 private:
  uint32_t Text(uint32_t number);
  uint32_t Method(uint32_t number);
  uint32_t Frame(uint32_t number);

  const Profile& whole_;
  Profile& part_;
  // Numbers of the part, plus 1, by numbers of the whole; 0: not requested yet.
  std::vector<uint32_t> kinds_, threads_, states_, texts_, methods_, frames_, stacks_, labels_;
  std::vector<uint32_t> path_;
};

}  // namespace jprof::profile
