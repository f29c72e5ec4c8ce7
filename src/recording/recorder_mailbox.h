// RecorderMailbox: between the recorder's thread and those who want something of it.
//
// Thread-safe. The recorder's thread calls the lower half: after every drain, and at its end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "recording/recording_summary.h"

namespace jprof {

class RecorderMailbox {
 public:
  // Asks for the open chunk to be sealed and waits until it is: the recording's file then holds
  // everything up to now. Answers with what is in it.
  Result<RecordingSummary> Seal();

  // Waits until the recorder takes samples, or has failed.
  Status AwaitReady();

  // Lets the recorder put its file there, waits until it has, and says how that went.
  Status Begin();

  // Begin will not come.
  void Refuse();

  // As of the last drain.
  RecordingSummary Latest() const;

  bool SealIsWanted() const;
  void Publish(const RecordingSummary& summary);
  void ReportReady();
  bool AwaitPermission();  // false: refused
  void ReportBegin(const Status& outcome);
  void ReportSeal(const Status& outcome);
  void ReportEnd(const Status& outcome);

 private:
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  RecordingSummary latest_;
  uint64_t wanted_ = 0;  // seals asked for
  uint64_t done_ = 0;    // seals carried out
  bool ready_ = false;
  std::optional<bool> permission_;  // to begin
  std::optional<Status> begin_;
  std::optional<Status> end_;
  Status last_seal_;
};

}  // namespace jprof
