// BlockerTable: who waited for whom, as a table of the page: pairs of the thread that held a lock
// and one that waited for it, and deadlocks. One thread.
#pragma once

#include <string>

#include "formats/json_writer.h"
#include "profile/analysis/blockers.h"
#include "profile/profile_event.h"

namespace jprof {

class BlockerTable {
 public:
  // REQUIRES: IsOfWait(the event's type).
  void OnEvent(const profile::ProfileEvent& event);

  // An element of the array `events`; nothing without a wait for a thread that is known.
  void Write(const profile::Profile& profile, JsonWriter& json);

  // What there is to say of it; empty: nothing. After Write.
  std::string NoteOf(const profile::Profile& profile) const;

 private:
  static constexpr size_t kMostPairs = 20'000;  // of which the page shows the heaviest

  Blockers blockers_{kMostPairs};
};

}  // namespace jprof
