#include "chunks/recorder_mailbox.h"

namespace jprof {

Result<RecordingSummary> RecorderMailbox::Seal() {
  std::unique_lock lock(mutex_);
  const uint64_t number = ++wanted_;
  while (done_ < number && !end_) changed_.wait(lock);
  const Status& outcome = done_ >= number ? last_seal_ : *end_;
  if (!outcome) return outcome.error();
  return latest_;
}

Status RecorderMailbox::AwaitReady() {
  std::unique_lock lock(mutex_);
  while (!ready_ && !end_) changed_.wait(lock);
  return ready_ ? Status() : *end_;
}

void RecorderMailbox::ReportReady() {
  {
    const std::lock_guard lock(mutex_);
    ready_ = true;
  }
  changed_.notify_all();
}

void RecorderMailbox::Refuse() {
  {
    const std::lock_guard lock(mutex_);
    if (!permission_) permission_ = false;
  }
  changed_.notify_all();
}

bool RecorderMailbox::AwaitPermission() {
  std::unique_lock lock(mutex_);
  while (!permission_) changed_.wait(lock);
  return *permission_;
}

Status RecorderMailbox::Begin() {
  std::unique_lock lock(mutex_);
  permission_ = true;
  changed_.notify_all();
  while (!begin_ && !end_) changed_.wait(lock);
  return begin_ ? *begin_ : *end_;
}

RecordingSummary RecorderMailbox::Latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

bool RecorderMailbox::SealIsWanted() const {
  const std::lock_guard lock(mutex_);
  return done_ < wanted_;
}

void RecorderMailbox::Publish(const RecordingSummary& summary) {
  const std::lock_guard lock(mutex_);
  latest_ = summary;
}

void RecorderMailbox::ReportBegin(const Status& outcome) {
  {
    const std::lock_guard lock(mutex_);
    begin_ = outcome;
  }
  changed_.notify_all();
}

void RecorderMailbox::ReportSeal(const Status& outcome) {
  {
    const std::lock_guard lock(mutex_);
    done_ = wanted_;
    last_seal_ = outcome;
  }
  changed_.notify_all();
}

void RecorderMailbox::ReportEnd(const Status& outcome) {
  {
    const std::lock_guard lock(mutex_);
    end_ = outcome;
  }
  changed_.notify_all();
}

}  // namespace jprof
