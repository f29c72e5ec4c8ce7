// Recording: what a user starts and stops: a sampler, the output that the sampler's file becomes,
// and the jprof that waits for it.
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
#include "recording/recording_status.h"
#include "sampler/sampler.h"
#include "sigsafe/os/clock.h"

namespace jprof {

class Recording {
 public:
  // The end of a recording, as complete as it could be written.
  struct Ended {
    AgentAnswer answer;
    std::string notice;  // for the next caller, if the caller of this recording has died; or empty
  };

  // How a recording begins, besides its options.
  struct Beginning {
    uint32_t number;                  // > 0, unique for each recording
    std::function<bool()> stop_soon;  // of RecordingPlan
    bool is_launch;                   // nothing of the program has run yet
  };

  // Starts sampling into memory. If a part or an engine cannot start: an Error, with everything
  // restored.
  static Result<std::unique_ptr<Recording>> Start(JvmConnection& jvm, JNIEnv* jni,
                                                  const Options& options, Beginning beginning);

  // Without End: drops the data since the last dump.
  ~Recording() = default;

  // Creates the file: the last step of a start, because until then an earlier file at the path
  // stays unchanged.
  Status Begin();

  // Completes the recording up to now.
  Result<RecordingSummary> WriteChunk() { return sampler_->Dump(); }
  // After WriteChunk: converts the recording to the output file, if that has another format. Needs
  // nothing of the JVM.
  Result<AgentAnswer> UpdateOutput(const Result<RecordingSummary>& summary) const;

  // As Sampler::Force.
  std::optional<Result<Engine::CarriedOut>> CarryOut(Engine::Command command, JNIEnv* jni) const {
    return sampler_->CarryOut(command, jni);
  }

  // Stops sampling and writes the last chunk. From then on nothing needs memory of the JVM's heap.
  void FinishSampling() { sampler_->Finish(); }

  // FinishSampling, and completes the file. The last call.
  Result<Ended> End();

  // Returns the notes of the sampler, and once that of the output.
  std::vector<std::string> TakeNotes();

  const std::vector<std::unique_ptr<Engine>>& engines() const { return sampler_->engines(); }

  Nanos start_ns() const { return start_ns_; }
  time_t start_time() const { return start_time_; }
  const std::string& path() const { return output_.path(); }
  // nullptr: no jprof will fetch the recording.
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
  std::optional<std::string> answer_file_;  // of the start: unread if the caller has died
  bool has_told_claim_ = false;
  std::optional<Result<std::string>> completed_;  // set by the recorder's thread, before an exit
  std::unique_ptr<Sampler> sampler_;
  // Lives until the file is complete: an end of the JVM waits for the stop that has begun. nullptr
  // before Begin, and where the exits of the JVM cannot be watched.
  std::unique_ptr<ExitWatch> exit_watch_;
};

}  // namespace jprof
