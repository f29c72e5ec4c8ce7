// ProfilerStatistics: what the recording says of the profiler itself, at the end of every chunk:
// what was taken, recorded and lost; the time and the memory that profiling took; how threads
// became known. Times and counts since the start, and how much of them is this chunk's.
//
// The recorder's thread.
#pragma once

#include <map>
#include <string>

#include "recording/jfr/jfr_writer.h"
#include "recording/recorder_context.h"
#include "recording/recording_summary.h"

namespace jprof {

class ProfilerStatistics {
 public:
  explicit ProfilerStatistics(const RecorderContext& context) : context_(context) {}

  // Reads the CPU clocks of our own threads; often enough that one that ends has little unseen.
  void Observe();

  // Names in memory.
  struct NameCounts {
    size_t methods;
    size_t addresses;
  };

  // The rows of the open chunk. REQUIRES: the chunk's samples are drained.
  void WriteTo(JfrWriter& writer, const RecordingSummary& summary, NameCounts names, Nanos now_ns);

 private:
  struct ThreadTime {
    std::string name;
    Nanos start_ns;  // used before this recording
    Nanos cpu_ns;
  };

  void WriteSamples(JfrWriter& writer, const RecordingSummary& summary, Nanos now_ns);
  void WriteTimes(JfrWriter& writer, const RecordingSummary& summary, Nanos now_ns);
  void WriteMemory(JfrWriter& writer, Nanos now_ns) const;
  void WriteThreads(JfrWriter& writer, Nanos now_ns) const;
  // What is to be bounded, however long the program runs.
  void WriteInMemory(JfrWriter& writer, NameCounts names, Nanos now_ns) const;
  void WriteTime(JfrWriter& writer, const std::string& part, Nanos total_ns, Nanos now_ns);

  const RecorderContext& context_;
  std::map<int32_t, ThreadTime> own_threads_;  // by tid, ended ones too
  RecordingSummary written_;                   // as of the last chunk
  std::map<std::string, Nanos> written_times_;
};

}  // namespace jprof
