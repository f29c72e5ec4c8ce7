// RecordingPlan: the files, chunks and limits of a recording.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/output_claim.h"
#include "base/result.h"
#include "chunks/recording_summary.h"
#include "jvm/vm_structs.h"
#include "sigsafe/base/types.h"

namespace jprof {

// Samples have the trace contexts of their threads.
struct ContextPlan {
  struct Tag {
    std::string name;
    uint8_t key;  // in the records
  };
  std::vector<Tag> tags;  // that become fields
};

struct RecordingPlan {
  std::string path;  // absolute
  // How virtual threads are sampled, for the recording; empty: this JVM has no virtual threads.
  std::string virtual_threads;
  Nanos chunk_time_ns = 60 * kNanosPerSecond;  // a chunk is sealed when it is this old,
  int64_t chunk_bytes = 64 << 20;              // or this large
  const VmStatics* vm = nullptr;               // never nullptr when used

  // The time of one file; 0: a single file. With several files `claim` claims the paths of the
  // files from number 2 on, and whole files beyond the limits are removed.
  Nanos file_time_ns = 0;
  std::function<Result<OutputClaim>(uint32_t number)> claim = nullptr;
  Nanos max_age_ns = 0;   // 0: no limit
  int64_t max_bytes = 0;  // as above

  std::optional<ContextPlan> context = std::nullopt;

  // Called on the recorder's thread after a failure: requests the stop of the recording, without
  // waiting. False: not possible now; called again later.
  std::function<bool()> stop_soon = nullptr;

  // Called on the recorder's thread when the last chunk before an end of the JVM (jvm/exit_watch.h)
  // is in the file, or could not be written: completes the output. `is_end`: else a command of the
  // JVM begins, after which the JVM may go on.
  std::function<void(const Result<RecordingSummary>& summary, bool is_end)> before_exit = nullptr;
};

}  // namespace jprof
