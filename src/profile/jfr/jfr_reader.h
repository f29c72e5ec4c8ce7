// ReadJfr: every event of a JFR file, chunk by chunk, to a visitor. The entry point of this module.
//
// Reads what the JDK (9 to 27), async-profiler and we write, by the metadata of each chunk; unknown
// types are the visitor's to ignore. Nothing in the file is trusted: lengths, references and counts
// are checked, nesting is bounded, memory grows with what is really there. An unfinished or cut
// chunk is read as far as its events are whole. One thread; memory: a window of the file and the
// constants of one chunk.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/jfr/jfr_value.h"
#include "profile/jfr/recording_file.h"

namespace jprof::profile {

class JfrVisitor {
 public:
  virtual ~JfrVisitor() = default;

  // Schema and constants of the chunk are complete. The chunk lives until EndChunk.
  virtual void BeginChunk(JfrChunk& /*chunk*/) {}

  // Asked once per event type and chunk: events of types that nobody wants cost next to nothing.
  virtual bool Wants(const JfrType& type) = 0;

  virtual void OnEvent(const JfrEvent& event) = 0;

  virtual void EndChunk() {}
};

struct JfrReadReport {
  int chunks = 0;  // of which events were read
  int64_t events = 0;
  std::string missing;  // one line that says what could not be read; empty: nothing

  bool complete() const { return missing.empty(); }
};

// Fails if nothing of the file can be read.
Result<JfrReadReport> ReadJfr(RecordingFile file, JfrVisitor& visitor);
Result<JfrReadReport> ReadJfr(const std::string& path, JfrVisitor& visitor);

}  // namespace jprof::profile
