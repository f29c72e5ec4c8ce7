// ProfilerStatistics: events about the profiler itself, at the end of every chunk: samples taken,
// recorded and lost; the time and the memory of profiling; the paths by which threads became known.
// Times and counts are given since the start, and for this chunk.
//
// Runs on the recorder's thread.
#pragma once

#include <map>
#include <string>

#include "chunks/chunk_participant.h"
#include "chunks/native_names.h"
#include "chunks/recorder_context.h"
#include "chunks/recording_summary.h"
#include "jvm/method_names.h"

namespace jprof {

class ProfilerStatistics final : public ChunkParticipant {
 public:
  // REQUIRES: all references outlive the object.
  ProfilerStatistics(const RecorderContext& context, RecordingSummary& summary,
                     const MethodNames& methods, const NativeNames& natives)
      : context_(context), summary_(summary), methods_(methods), natives_(natives) {
    Observe();
    has_begun_ = true;
  }

  void AddSettings(EventSettings& settings) const override;
  void BeforeSamples(OpenChunk&) override { Observe(); }
  uint64_t Forget() override;
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  struct ThreadTime {
    std::string name;
    Nanos start_ns;  // CPU time before this recording
    Nanos cpu_ns;
  };

  // Reads the CPU clocks of the profiler's threads and adds them up for the summary. Called at
  // every drain, so that little time of an ending thread is missed.
  void Observe();
  void WriteSamples(JfrWriter& writer, Nanos now_ns);
  void WriteTimes(JfrWriter& writer, Nanos now_ns);
  void WriteMemory(JfrWriter& writer, Nanos now_ns) const;
  void WriteThreads(JfrWriter& writer, Nanos now_ns) const;
  // Writes the sizes of bounded collections, which do not grow with the run time of the program.
  void WriteInMemory(JfrWriter& writer, Nanos now_ns) const;
  void WriteTime(JfrWriter& writer, const std::string& part, Nanos total_ns, Nanos now_ns);

  const RecorderContext& context_;
  RecordingSummary& summary_;
  const MethodNames& methods_;
  const NativeNames& natives_;
  std::map<int32_t, ThreadTime> own_threads_;  // keyed by tid; includes ended threads
  bool has_begun_ = false;    // true: threads seen for the first time have just started
  RecordingSummary written_;  // numbers as of the last chunk
  std::map<std::string, Nanos> written_times_;
};

}  // namespace jprof
