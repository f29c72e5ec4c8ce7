#include "chunks/file_series.h"

#include <optional>
#include <utility>

#include "base/log.h"

namespace jprof {

void FileSeries::Add(std::string path, int64_t bytes, Nanos end_ns) {
  if (limits_.max_age_ns == 0 && limits_.max_bytes == 0) return;
  const std::optional<FileIdentity> identity = IdentityOf(path);
  if (!identity) return;  // removed, or replaced by something that is not a file
  bytes_ += bytes;
  files_.push_back({std::move(path), *identity, bytes, end_ns});
}

bool FileSeries::IsBeyondLimits(const File& oldest, int64_t open_bytes, Nanos now_ns) const {
  if (limits_.max_age_ns != 0 && now_ns - oldest.end_ns > limits_.max_age_ns) return true;
  return limits_.max_bytes != 0 && bytes_ + open_bytes > limits_.max_bytes;
}

void FileSeries::Trim(int64_t open_bytes, Nanos now_ns) {
  while (!files_.empty() && IsBeyondLimits(files_.front(), open_bytes, now_ns)) {
    const File& file = files_.front();
    const Status removed = RemoveOutput(file.path, file.identity);
    if (!removed) Log::Warn("%s", removed.error().message().c_str());
    bytes_ -= file.bytes;
    files_.pop_front();
  }
}

}  // namespace jprof
