#include "jfr/writer/jfr_writer.h"

#include <algorithm>
#include <utility>

namespace jprof {
namespace {

constexpr int kMostFiles = 10'000;

// "a.jfr", "a-2.jfr", ...
std::string Numbered(const std::string& name, int number) {
  if (number == 1) return name;
  const size_t dot = std::min(name.rfind('.'), name.size());
  return name.substr(0, dot) + "-" + std::to_string(number) + name.substr(dot);
}

}  // namespace

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
  if (given_up_) {
    lost_bytes_ += given_up_->change.lost_bytes;
    unstated_bytes_ += given_up_->change.lost_bytes;
  }
  return sealed;
}

Status JfrWriter::MoveIntoPlace(JfrChunk& chunk) {
  SideFile& file = chunk.file();
  if (sealed_chunks_ > 0) {
    const std::optional<FileChange> change = sealed_.FindChange(target_);
    if (!change) return sealed_.Append(target_, file.fd(), file.size());
    const GivenUp given_up{target_.path(), *change};
    const Status begun = BeginFileBeside(file);
    if (begun) given_up_ = given_up;
    return begun;
  }
  Result<ScopedFd> published = file.Publish();
  if (!published) return published.error();
  sealed_ = SealedFile(std::move(published).value(), file.size());
  return {};
}

Status JfrWriter::BeginFileBeside(SideFile& file) {
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
