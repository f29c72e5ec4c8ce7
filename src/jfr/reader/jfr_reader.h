// ReadJfr: passes the events of a JFR file, chunk by chunk, to a visitor. This is the entry point
// of the module.
//
// Reads the recordings of the JDK (9 to 27), async-profiler and jprof. The only source of types and
// layouts is the metadata of each chunk; visitors ignore types that they do not know. Nothing in
// the file is trusted: lengths, references and counts are checked, nesting is bounded, and memory
// is bounded by the data that is really present. An unfinished or truncated chunk is read up to its
// first incomplete event.
//
// Runs on the calling thread. Needs memory for a window of the file and for the constants of one
// chunk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "jfr/reader/jfr_value.h"
#include "jfr/reader/recording_file.h"

namespace jprof::profile {

class JfrVisitor {
 public:
  virtual ~JfrVisitor() = default;

  // True if the chunk at this offset of the file is to be read. The faults of a chunk that is not
  // read are not reported.
  virtual bool TakesChunk(int64_t /*offset*/) { return true; }

  // Called when the schema and the constants of the chunk are complete. `chunk` is valid until
  // EndChunk has returned.
  virtual void BeginChunk(JfrChunk& /*chunk*/) {}

  // True if OnEvent is to receive the events of this type. Called once per type and chunk; events
  // of unwanted types are skipped at almost no cost.
  virtual bool Wants(const RecordedType& type) = 0;

  virtual void OnEvent(const JfrEvent& event) = 0;

  virtual void EndChunk() {}
};

struct JfrReadReport {
  int chunks = 0;  // number of chunks, including those that the visitor did not take
  int64_t events = 0;
  std::string missing;  // one line about the unreadable part; empty if all was readable

  bool complete() const { return missing.empty(); }
};

// Calls `visit` with the offset, the number of present bytes and the header of each chunk. Stops
// after a chunk that is unfinished or damaged.
void ForEachChunk(
    RecordingFile& file,
    const std::function<void(int64_t offset, int64_t size, const JfrChunkHeader& header)>& visit);

// Returns the start of the earliest chunk, in nanoseconds since 1970; nullopt if the file does not
// begin with a chunk. The earliest chunk need not be the first, because files can be joined in any
// order.
std::optional<int64_t> EarliestStart(RecordingFile& file);

// Reads the file and passes the events that `visitor` wants to `visitor`. Fails if no part of the
// file can be read.
Result<JfrReadReport> ReadJfr(RecordingFile file, JfrVisitor& visitor);
Result<JfrReadReport> ReadJfr(const std::string& path, JfrVisitor& visitor);

}  // namespace jprof::profile
