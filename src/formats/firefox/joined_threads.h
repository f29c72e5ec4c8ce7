// JoinedThreads: joins threads of a recording that share a thread of the profile: virtual threads
// without a name, and the least busy ones beyond kMaxThreads. The front end draws a track for each
// thread. Used by one thread.
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

  // Joins the threads in `samples` and `markers`.
  JoinedThreads(const profile::Profile& profile, SampleLog& samples, Markers& markers);

  // Returns the name of a thread, or of the joined threads that it stands for.
  std::string NameOf(uint32_t thread) const;

 private:
  const profile::Profile& profile_;
  std::map<uint32_t, std::string> names_;  // names of the threads that stand for several
};

}  // namespace jprof::firefox
