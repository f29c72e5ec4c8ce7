// ProfilePart: makes a profile of what is used of another one: each method, thread and stack that
// is asked for, under a number of its own. Part of ReadSlices; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace jprof::profile {

// The place for `number`, which grows with the table of the whole.
template <class T>
T& PlaceOf(std::vector<T>& table, uint32_t number, size_t size) {
  if (table.size() <= number) table.resize(std::max<size_t>(size, size_t{number} + 1));
  return table[number];
}

class ProfilePart {
 public:
  // REQUIRES: both outlive the object. `part` may have the content of other recordings.
  ProfilePart(const Profile& whole, Profile& part) : whole_(whole), part_(part) {}

  // Numbers of the part, by those of the whole.
  uint32_t Thread(uint32_t number);
  uint32_t State(uint32_t number);
  uint32_t Stack(uint32_t number);
  uint32_t ReversedStack(uint32_t number);  // from its innermost frame; in place of Stack
  // The whole has forgotten its stacks.
  void ForgetStacks() { stacks_.clear(); }
  uint32_t Labels(uint32_t number);
  // Its samples weigh `unit` in the part.
  uint32_t Kind(uint32_t number, SampleUnit unit);
  bool HasKind(uint32_t number) const { return number < kinds_.size() && kinds_[number] != 0; }

  // What the whole says of its process: the JVM, the libraries, the files of classes. Once.
  void AddProcess();

 private:
  uint32_t Text(uint32_t number);
  uint32_t Method(uint32_t number);
  uint32_t Frame(uint32_t number);

  const Profile& whole_;
  Profile& part_;
  // Numbers of the part, plus 1; 0: not asked for yet.
  std::vector<uint32_t> kinds_, threads_, states_, texts_, methods_, frames_, stacks_, labels_;
  std::vector<uint32_t> path_;
};

}  // namespace jprof::profile
