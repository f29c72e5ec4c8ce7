// JoinedThreads: which threads of a recording share a row of the profile: virtual threads without a
// name, and the least busy ones of very many. The front end draws a track for each row. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "formats/firefox/markers.h"
#include "formats/firefox/sample_log.h"
#include "profile/profile.h"

namespace jprof::firefox {

class JoinedThreads {
 public:
  static constexpr size_t kMaxThreads = 1000;

  // Joins them in `samples` and `markers`.
  JoinedThreads(const profile::Profile& profile, SampleLog& samples, Markers& markers);

  std::string NameOf(uint32_t thread) const;

 private:
  const profile::Profile& profile_;
  std::map<uint32_t, std::string> names_;  // of threads that stand for several
};

}  // namespace jprof::firefox
