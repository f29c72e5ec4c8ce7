// Recording: the recording that a user starts and stops. It consists of a sampler, of the output
// that is made from the sampler's file and, if a jprof process is to fetch the recording, of the
// lease of that process (caller_lease.h).
//
// Used by RecordingControl, one call at a time, on a thread attached to the JVM.
#pragma once

#include <jni.h>

#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers/agent_answer.h"
#include "answers/method_calls.h"
#include "base/result.h"
#include "jvm/exit_watch.h"
#include "options/options.h"
#include "recording/caller_lease.h"
#include "recording/recording_output.h"
#include "recording/recording_report.h"
#include "sampler/sampler.h"
#include "sigsafe/os/clock.h"

namespace jprof {

class Recording {
 public:
  // The result of End.
  struct Ended {
    AgentAnswer answer;
    std::string notice;  // for a later answer; empty unless the owner of the lease has died
  };

  // The parameters of a start, in addition to the options.
  struct Beginning {
    uint32_t number;                  // > 0, unique for each recording
    std::function<bool()> stop_soon;  // RecordingPlan::stop_soon
  };

  // Starts sampling into memory. If a part or an engine cannot start, restores everything and
  // returns an Error.
  static Result<std::unique_ptr<Recording>> Start(JvmConnection& jvm, JNIEnv* jni,
                                                  const Options& options, Beginning beginning);

  // If End was not called, the destructor drops the data since the last dump.
  ~Recording() = default;

  // Creates the file. Called at the end of a start: if an earlier step fails, an existing file at
  // the path stays unchanged.
  Status Begin();

  // Writes all data up to now to the file of the recording.
  Result<RecordingSummary> WriteChunk() { return sampler_->Dump(); }
  // Converts the recording to the output file, if the output file has another format. Called after
  // WriteChunk, with the result of WriteChunk; does not need the JVM.
  Result<AgentAnswer> UpdateOutput(const Result<RecordingSummary>& summary) const;

  // Calls Sampler::CarryOut.
  std::optional<Result<Engine::CommandAnswer>> CarryOut(Engine::Command command,
                                                        JNIEnv* jni) const {
    return sampler_->CarryOut(command, jni);
  }

  // Stops sampling and writes the last chunk. From then on the recording needs no memory of the
  // JVM's heap.
  void FinishSampling() { sampler_->Finish(); }

  // Calls FinishSampling if it was not called before, and completes the file. No other call may
  // follow.
  Result<Ended> End();

  // Returns the new notes of the sampler. The first call also returns the note of the output.
  std::vector<std::string> TakeNotes();

  const std::vector<std::unique_ptr<Engine>>& engines() const { return sampler_->engines(); }

  Nanos start_ns() const { return start_ns_; }
  time_t start_time() const { return start_time_; }
  const std::string& path() const { return output_.path(); }
  // Returns the lease of the jprof that is to fetch the recording; nullptr if there is none.
  const std::shared_ptr<const CallerLease>& lease() const { return lease_; }

  RecordingStatus::Running Describe() const;

 private:
  Recording(JvmConnection& jvm, const Options& options, RecordingOutput output);

  Status OpenLease(const Options& options);
  RecordingPlan Files(const Options& options, uint32_t first, std::function<bool()> stop_soon);
  Result<std::string> CompleteOutput(const Result<RecordingSummary>& summary) const;
  void CompleteBeforeExit(const Result<RecordingSummary>& summary, bool is_end);
  std::string KeepUnfetched(const std::string& path) const;

  JvmConnection& jvm_;
  const Nanos start_ns_ = MonotonicNanos();
  const time_t start_time_ = time(nullptr);
  RecordingOutput output_;
  const RequestedEvents requested_;
  std::shared_ptr<const CallerLease> lease_;
  std::optional<std::string> answer_file_;  // for the answer to the start; set if there is a lease
  bool has_noted_claim_ = false;
  // Set by the recorder's thread before the JVM exits.
  std::optional<Result<std::string>> completed_;
  std::unique_ptr<Sampler> sampler_;
  // Exists until the file is complete, so that the JVM does not end before a stop in progress has
  // ended. nullptr before Begin, and if the exits of the JVM cannot be watched.
  std::unique_ptr<ExitWatch> exit_watch_;
};

// Returns the path of another copy of this library that is recording in this JVM; nullopt if there
// is none. If a library is loaded from two paths, the dynamic linker makes two libraries of it,
// each with its own recording. The other copy can have any version, so this function looks for the
// recorder's thread, which every version has while it records. Thread-safe. REQUIRES: no recording
// of this copy is running.
std::optional<std::string> FindRecordingAgent();

}  // namespace jprof
