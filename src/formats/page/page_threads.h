// PageThreads and PageStates: what samples of the page can be chosen by. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

// Threads by name, those with the most samples first.
struct PageThreads {
  static constexpr size_t kMaxThreads = 1000;  // those beyond are shown as one

  std::vector<std::string> names;
  std::vector<uint32_t> counts;     // how many threads have that name
  std::vector<uint32_t> of_thread;  // by thread of the profile

  PageThreads(const profile::Profile& profile, const profile::SampleTable& table);
};

// The states of threads that samples have, in the order of the profile.
struct PageStates {
  std::vector<std::string> names;  // "" for a state that was not recorded
  std::array<uint32_t, profile::SampleTable::kMaxStates> place = {};  // by state of the table

  PageStates(const profile::Profile& profile, const profile::SampleTable& table);
};

}  // namespace jprof
