#include "recording/jfr/jfr_writer.h"

#include <algorithm>
#include <utility>

namespace jprof {

Result<std::unique_ptr<JfrWriter>> JfrWriter::Open(const std::string& path,
                                                   const ChunkClock& clock) {
  Result<OutputPlace> target = OutputPlace::ResolveFile(path);
  if (!target) return target.error();
  std::unique_ptr<JfrWriter> writer(new JfrWriter(std::move(target).value(), clock));
  if (Status started = writer->StartChunkAt(0); !started) return started.error();
  return writer;
}

Status JfrWriter::StartChunk(int64_t start_ns) {
  return StartChunkAt(std::max(clock_.Ticks(start_ns), next_start_ticks_));
}

Status JfrWriter::StartChunkAt(int64_t ticks) {
  pools_.BeginChunk();
  Result<JfrChunk> chunk = JfrChunk::Create(target_, clock_, pools_, ticks);
  if (!chunk) return chunk.error();
  chunk_ = std::make_unique<JfrChunk>(std::move(chunk).value());
  if (unstated_bytes_ > 0) StateLoss(ticks);
  return {};
}

void JfrWriter::StateLoss(int64_t ticks) {
  Append(DataLoss{.time_ns = clock_.MonotonicNanos(ticks),
                  .amount_bytes = unstated_bytes_,
                  .total_bytes = lost_bytes_});
}

Status JfrWriter::Seal(int64_t end_ns) {
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
  return sealed;
}

Status JfrWriter::MoveIntoPlace(JfrChunk& chunk) {
  SideFile& file = chunk.file();
  if (sealed_chunks_ > 0) return sealed_.Append(target_, file.fd(), file.size());
  Result<ScopedFd> published = file.Publish();
  if (!published) return published.error();
  sealed_ = SealedFile(std::move(published).value(), file.size());
  return {};
}

}  // namespace jprof
