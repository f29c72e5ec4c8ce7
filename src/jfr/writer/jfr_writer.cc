#include "jfr/writer/jfr_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace jprof {
namespace {

// Reserves space for the bytes without changing the size of the file. Returns false if there is no
// space; true if the space is reserved, or if the file system has no way to reserve it.
bool ReserveSpace(int fd, int64_t offset, int64_t bytes) {
  int failed;
  do {
    failed = fallocate(fd, FALLOC_FL_KEEP_SIZE, offset, bytes);
  } while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == EOPNOTSUPP || errno == ENOSYS;
}

// Copies the first `bytes` bytes of `from` to `to_offset` of `to`, inside the kernel. One call of
// sendfile copies everything unless a signal or an error ends the call early.
bool Copy(int from, int to, int64_t to_offset, int64_t bytes) {
  if (lseek(to, to_offset, SEEK_SET) < 0) return false;
  off_t from_offset = 0;
  while (from_offset < bytes) {
    const ssize_t copied =
        sendfile(to, from, &from_offset, static_cast<size_t>(bytes - from_offset));
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return false;
  }
  return true;
}

constexpr int kMostFiles = 10'000;

// Returns "a.jfr" for the number 1, "a-2.jfr" for 2, and so on.
std::string Numbered(const std::string& name, int number) {
  if (number == 1) return name;
  const size_t dot = std::min(name.rfind('.'), name.size());
  return name.substr(0, dot) + "-" + std::to_string(number) + name.substr(dot);
}

}  // namespace

// Unlocks the file explicitly, because closing the descriptor does not unlock the file if a forked
// child has inherited the descriptor.
SealedFile::~SealedFile() {
  if (fd_.valid()) flock(fd_.get(), LOCK_UN);
}

std::optional<FileChange> SealedFile::FindChange(const OutputPlace& target) const {
  struct stat info;
  if (fstat(fd_.get(), &info) != 0) return FileChange{"cannot be read", size_};
  if (info.st_nlink == 0) return FileChange{"was removed", size_};
  if (info.st_size < size_) return FileChange{"was cut", size_ - info.st_size};
  if (!IsSameFile(target.folder(), target.name(), fd_.get())) return FileChange{"was moved", 0};
  if (info.st_size > size_) return FileChange{"was written to", 0};
  return std::nullopt;
}

Status SealedFile::Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size) {
  if (ReserveSpace(fd_.get(), size_, chunk_size) && Copy(chunk_fd, fd_.get(), size_, chunk_size)) {
    size_ += chunk_size;
    return {};
  }
  Error error = Error::FromErrno("append", target.path());
  if (ftruncate(fd_.get(), size_) != 0) {
    return Error(error.message() + "; " + Error::FromErrno("ftruncate", target.path()).message());
  }
  return error;
}

Result<std::unique_ptr<JfrWriter>> JfrWriter::Claim(const std::string& path,
                                                    const ChunkClock& clock) {
  Result<OutputPlace> target = OutputPlace::ResolveFile(path);
  if (!target) return target.error();
  std::unique_ptr<JfrWriter> writer(new JfrWriter(std::move(target).value(), clock));
  Result<SideFile> claim = SideFile::Create(writer->target_);
  if (!claim) return claim.error();
  writer->claim_.emplace(std::move(claim).value());
  return writer;
}

Result<std::unique_ptr<JfrWriter>> JfrWriter::Open(const std::string& path,
                                                   const ChunkClock& clock) {
  Result<std::unique_ptr<JfrWriter>> writer = Claim(path, clock);
  if (!writer) return writer.error();
  if (Status started = writer.value()->StartChunkAt(0); !started) return started.error();
  return writer;
}

void JfrWriter::Declare(EventDeclarations declarations) {
  JPROF_CHECK(!is_open());
  declarations_ = std::move(declarations);
}

Status JfrWriter::StartChunk(int64_t start_ns) {
  JPROF_CHECK(!is_open());
  return StartChunkAt(std::max(clock_.Ticks(start_ns), next_start_ticks_));
}

Status JfrWriter::StartChunkAt(int64_t ticks) {
  pools_.BeginChunk();
  Result<SideFile> file = claim_ ? Result<SideFile>(std::move(*claim_)) : SideFile::Create(target_);
  claim_.reset();
  if (!file) return file.error();
  Result<JfrChunk> chunk =
      JfrChunk::Create(std::move(file).value(), clock_, pools_, declarations_, ticks);
  if (!chunk) return chunk.error();
  chunk_ = std::make_unique<JfrChunk>(std::move(chunk).value());
  if (unstated_bytes_ > 0) StateLoss(ticks);
  return {};
}

void JfrWriter::StateLoss(int64_t ticks) {
  Append(DataLoss{.time_ns = clock_.MonotonicNanos(ticks),
                  .amount_bytes = static_cast<uint64_t>(unstated_bytes_),
                  .total_bytes = static_cast<uint64_t>(lost_bytes_)});
}

Status JfrWriter::Seal(int64_t end_ns) {
  JPROF_CHECK(is_open());
  const std::unique_ptr<JfrChunk> chunk = std::move(chunk_);
  const int64_t event_bytes = chunk->event_bytes();
  Status sealed = chunk->Finish(clock_.Ticks(end_ns), lost_bytes_);
  if (sealed) sealed = MoveIntoPlace(*chunk);
  status_ = sealed ? chunk->status() : sealed;
  dropped_ += sealed ? chunk->dropped() : chunk->appended();
  sealed_chunks_ += sealed.ok();
  lost_bytes_ += sealed ? chunk->lost_bytes() : event_bytes;
  unstated_bytes_ = sealed ? 0 : unstated_bytes_ + event_bytes;
  next_start_ticks_ = chunk->last_ticks() + 1;
  if (abandoned_) {
    lost_bytes_ += abandoned_->change.lost_bytes;
    unstated_bytes_ += abandoned_->change.lost_bytes;
  }
  return sealed;
}

Status JfrWriter::MoveIntoPlace(JfrChunk& chunk) {
  SideFile& file = chunk.file();
  if (sealed_chunks_ > 0) {
    const std::optional<FileChange> change = sealed_.FindChange(target_);
    if (!change) return sealed_.Append(target_, file.fd(), file.size());
    const AbandonedFile abandoned{target_.path(), *change};
    const Status begun = StartNewFile(file);
    if (begun) abandoned_ = abandoned;
    return begun;
  }
  Result<ScopedFd> published = file.Publish();
  if (!published) return published.error();
  sealed_ = SealedFile(std::move(published).value(), file.size());
  return {};
}

Status JfrWriter::StartNewFile(SideFile& file) {
  for (int number = 1; number <= kMostFiles; ++number) {
    const std::string name = Numbered(first_name_, number);
    Result<std::optional<ScopedFd>> published = file.PublishAs(name);
    if (!published) return published.error();
    if (!published.value()) continue;
    target_.Rename(name);
    sealed_ = SealedFile(std::move(*published.value()), file.size());
    return {};
  }
  return Error(target_.path() +
               " was changed by another program, and all names beside it are taken");
}

}  // namespace jprof
