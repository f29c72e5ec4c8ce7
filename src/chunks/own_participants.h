// MakeOwnParticipants: the participants of every recording, in the order in which they write.
//
// The .cc file has a line for each participant. It also has the classes of the small participants:
// OpeningEvents, LibraryEvents, GcEvents, NamesOfThreads, ClassesInUse, LastStacks.
// load_and_cost.cc has LoadEvents and ProfilerStatistics.
//
// Runs on the recorder's thread, attached to the JVM.
#pragma once

#include <memory>
#include <vector>

#include "chunks/chunk_participant.h"
#include "chunks/native_names.h"
#include "chunks/recorder_context.h"
#include "chunks/recording_summary.h"
#include "jvm/method_names.h"

namespace jprof {

// The objects that the participants use; all outlive the participants.
struct RecorderParts {
  const RecorderContext& context;
  const RecordingPlan& plan;
  RecordingSummary& summary;
  const MethodNames& methods;
  NativeNames& natives;
};

std::vector<std::unique_ptr<ChunkParticipant>> MakeOwnParticipants(const RecorderParts& parts);

// Returns the participant that writes the load of the machine and of the process. `now_ns` is the
// start of the time that the first events cover.
std::unique_ptr<ChunkParticipant> MakeLoadEvents(const RecorderContext& context, Nanos now_ns);

// Returns the participant that writes the counts of samples and the cost of profiling.
std::unique_ptr<ChunkParticipant> MakeProfilerStatistics(const RecorderParts& parts);

}  // namespace jprof
