// AuditReport: the audit of a recording, for its chunks and answers. It exists while the recording
// has the option audit=.
//
// Begin and End are called by the sampler. The recorder's thread calls the functions of
// ChunkParticipant; the other functions are called on any thread.
#pragma once

#include <string>
#include <vector>

#include "base/audit_counts.h"
#include "chunks/chunk_participant.h"

namespace jprof {

class AuditReport final : public ChunkParticipant {
 public:
  // `share` is the share of the samples that are audited, greater than 0 and at most 1.
  explicit AuditReport(double share) : share_(share) {}

  // Starts the audit, and ends it. REQUIRES: no other audit is running.
  void Begin() const;
  static void End();

  // Returns the line of the answers to `status` and `stop`: "audit: 12345 stacks compared, ...".
  static std::string Total();
  // Returns a warning for each of the first wrong stacks, and forgets them.
  static std::vector<std::string> TakeNotes();

  void AddSettings(EventSettings& settings) const override;
  // Writes profiler.StackAudit: the counts since the previous chunk that was written.
  void WriteClosing(JfrWriter& writer, Nanos now_ns) override;

 private:
  const double share_;
  AuditCounts written_;
};

}  // namespace jprof
