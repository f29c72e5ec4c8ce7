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

// Trace contexts in samples: if a recording has this plan, samples have the contexts of their
// threads.
struct ContextPlan {
  struct Tag {
    std::string name;
    uint8_t key;  // the tag's key in the context records
  };
  std::vector<Tag> tags;  // the tags that become fields
};

struct RecordingPlan {
  std::string path;  // an absolute path
  // How virtual threads are sampled, as text for the recording; empty: this JVM has no virtual
  // threads.
  std::string virtual_threads;
  Nanos chunk_time_ns = 60 * kNanosPerSecond;  // the age at which a chunk is sealed
  int64_t chunk_bytes = 64 << 20;              // the size at which a chunk is sealed
  const VmStatics* vm = nullptr;               // set before the plan is used

  // The length of one file; 0: a single file. With several files `claim` claims the paths of the
  // files from number 2 on, and whole files beyond the limits are removed.
  Nanos file_time_ns = 0;
  std::function<Result<OutputClaim>(uint32_t number)> claim = nullptr;
  Nanos max_age_ns = 0;   // 0: no limit
  int64_t max_bytes = 0;  // 0: no limit

  std::optional<ContextPlan> context = std::nullopt;

  // Requests the stop of the recording, without waiting. Called on the recorder's thread after a
  // failure. False: not possible now; called again later.
  std::function<bool()> stop_soon = nullptr;

  // Completes the output. Called on the recorder's thread when the last chunk before an end of the
  // JVM (jvm/exit_watch.h) is in the file, or could not be written. `is_end` false: a command of
  // the JVM starts, after which the JVM can go on.
  std::function<void(const Result<RecordingSummary>& summary, bool is_end)> before_exit = nullptr;
};

}  // namespace jprof
