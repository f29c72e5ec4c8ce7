// RecorderMailbox: passes requests of other threads to the recorder's thread.
//
// Thread-safe. The recorder's thread calls SealIsWanted and the functions that are declared after
// SealIsWanted. Other threads call the functions that are declared before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "chunks/recording_summary.h"

namespace jprof {

class RecorderMailbox {
 public:
  // Requests that the open chunk be sealed, and waits until the chunk is sealed. The file then
  // holds all data up to the call. Returns the summary of the recording.
  Result<RecordingSummary> Seal();

  // Waits until the recorder is ready to take samples or has failed.
  Status AwaitReady();

  // Permits the recorder to create its file, waits until the recorder has done so or failed, and
  // returns the outcome.
  Status Begin();

  // Reports that Begin will not be called. Has no effect after Begin.
  void Refuse();

  // Returns the numbers as of the last drain.
  RecordingSummary Latest() const;

  bool SealIsWanted() const;
  void Publish(const RecordingSummary& summary);
  void ReportReady();
  bool AwaitPermission();  // false if Refuse was called
  void ReportBegin(const Status& outcome);
  void ReportSeal(const Status& outcome);
  void ReportEnd(const Status& outcome);

 private:
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  RecordingSummary latest_;
  uint64_t wanted_ = 0;  // number of requested seals
  uint64_t done_ = 0;    // number of completed seals
  bool ready_ = false;
  std::optional<bool> permission_;  // true: Begin was called; false: Refuse was called
  std::optional<Status> begin_;
  std::optional<Status> end_;
  Status last_seal_;
};

}  // namespace jprof
