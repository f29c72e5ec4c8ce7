// RecorderMailbox: passes requests of other threads to the recorder's thread.
//
// Thread-safe. The recorder's thread calls the functions from SealIsWanted on, after every drain
// and at its end; other threads call the functions above.
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
  // Requests that the open chunk be sealed, and waits for it: the file then holds all data up to
  // now. Returns the content of the file.
  Result<RecordingSummary> Seal();

  // Waits until the recorder is ready to take samples or has failed.
  Status AwaitReady();

  // Permits the recorder to create its file, waits for that, and returns the result.
  Status Begin();

  // Reports that Begin will not be called. Has no effect after Begin.
  void Refuse();

  // Returns the numbers as of the last drain.
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
  uint64_t wanted_ = 0;  // requested seals
  uint64_t done_ = 0;    // completed seals
  bool ready_ = false;
  std::optional<bool> permission_;  // true: Begin was called; false: refused
  std::optional<Status> begin_;
  std::optional<Status> end_;
  Status last_seal_;
};

}  // namespace jprof
