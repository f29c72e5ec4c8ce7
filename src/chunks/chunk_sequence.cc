#include "chunks/chunk_sequence.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/memory_reserve.h"
#include "chunks/own_participants.h"
#include "jvm/exit_watch.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {

ChunkSequence::ChunkSequence(const RecorderContext& context, const RecordingPlan& plan,
                             std::unique_ptr<JfrWriter> writer, JNIEnv* jni,
                             RecordingSummary& summary)
    : context_(context),
      plan_(plan),
      jni_(jni),
      summary_(summary),
      writer_(std::move(writer)),
      methods_(context.jvmti, jni, context.classes, context.unsigned5_bias),
      natives_(context.stubs),
      virtual_names_(context.virtual_names),
      contexts_(plan.context, context.traces),
      own_participants_(MakeOwnParticipants({context, plan, summary, methods_, natives_})),
      files_({plan.max_age_ns, plan.max_bytes}) {
  JPROF_CHECK(!writer_->is_open());
  for (const auto& own : own_participants_) context.participants.Add(own.get());
  context.traces.RegisterLivenessChecker([this](LiveCallTraces& live) {
    context_.participants.ForEach([&](const ChunkParticipant& each) { each.KeepLive(live); });
  });
}

ChunkSequence::~ChunkSequence() {
  for (const auto& own : own_participants_) context_.participants.Remove(own.get());
}

Status ChunkSequence::Begin(Nanos now_ns) {
  DeclareEvents();
  const Status started = writer_->StartChunk(writer_->clock().MonotonicNanos(0));
  if (!started) return started;
  WriteOpening(now_ns);
  const Status sealed = writer_->Seal(now_ns);
  if (!sealed) return sealed;
  file_start_ns_ = now_ns;
  summary_.file = writer_->path();
  StartChunk(now_ns);
  return {};
}

// Lists the ended threads before the drain, and drops these threads after the drain: no later drain
// can have samples of them.
void ChunkSequence::Drain(Nanos now_ns) {
  if (chunk_ == nullptr && now_ns >= retry_ns_) StartChunk(now_ns);
  DrainInto(ChunkSamples::kAllEpochs, context_.registry.names().Ended(), now_ns, false);
  UpdateSummary();
}

void ChunkSequence::DrainInto(uint32_t last_epoch, const std::vector<uint32_t>& ended, Nanos now_ns,
                              bool is_last) {
  if (chunk_ == nullptr) {
    Drop(last_epoch, ended);
  } else {
    chunk_->BeginDrain();
    OpenChunk open{*writer_, chunk_->threads(), chunk_->stacks(), contexts_, now_ns, is_last};
    if (!VmIsOutOfReach()) open.jni = jni_;
    context_.participants.ForEach([&](ChunkParticipant& each) { each.BeforeSamples(open); });
    chunk_->Drain(last_epoch, open.takes_losses || !ended.empty(), now_ns);
    context_.participants.ForEach([&](ChunkParticipant& each) { each.AfterSamples(open); });
  }
  context_.registry.names().ForgetEnded(ended);
  ExpireClasses(now_ns);
}

// Calls ClassCatalog::Expire, which enters the VM for each class. While the heap is over half full,
// the call is rare, because the JVM might end for lack of memory (jvm/exit_watch.h) while the
// recorder's thread is in the VM. There, a collection can hold up the recorder's thread, and the
// thread that ends the JVM does not wait for the end of the collection.
void ChunkSequence::ExpireClasses(Nanos now_ns) {
  if (now_ns < next_expiry_ns_) return;
  const bool is_seldom = context_.heap != nullptr && context_.heap->IsHalfFull();
  if (is_seldom) next_expiry_ns_ = now_ns + kExpiryInterval;
  context_.classes.Expire(jni_, MonotonicNanos());
  context_.classes.AddUnannounced(context_.jvmti, jni_, now_ns, false);
}

// Drops the samples and events that no chunk can take. If threads have ended, also counts and drops
// the losses of all threads. Otherwise the losses stay in the threads' slots until a chunk can take
// them.
void ChunkSequence::Drop(uint32_t last_epoch, const std::vector<uint32_t>& ended) {
  const auto drop = [this](const Sample& sample) {
    summary_.recorded[static_cast<size_t>(sample.kind)] +=
        settings_.samples().Reported(sample.kind, sample.weight);
    DropEvents(sample.kind, sample.weight);
  };
  context_.samples.Drain(last_epoch, drop);
  context_.off_thread.Drain(last_epoch, drop);
  context_.participants.ForEach(
      [this](ChunkParticipant& each) { dropped_events_ += each.Forget(); });
  if (ended.empty()) return;
  for (const ThreadLoss& loss : context_.registry.TakeLosses()) {
    summary_.lost[static_cast<size_t>(loss.kind)][static_cast<size_t>(loss.reason)] +=
        settings_.samples().Reported(loss.kind, loss.weight);
    DropEvents(loss.kind, loss.weight);
  }
}

// Counts the events that ChunkSamples would have written.
void ChunkSequence::DropEvents(SampleKind kind, uint64_t weight) {
  dropped_events_ += context_.sample_events[kind].count(weight, settings_.samples());
}

bool ChunkSequence::IsDue(Nanos now_ns) const {
  if (context_.traces.NearlyFull() || FileIsDue(now_ns)) return true;
  if (chunk_ == nullptr) return false;
  return now_ns - chunk_start_ns_ >= ChunkTime() || writer_->chunk_bytes() >= ChunkBytes() ||
         !writer_->status().ok();
}

// Returns the size at which a chunk ends: at most a quarter of the size that all files together may
// have.
int64_t ChunkSequence::ChunkBytes() const {
  return plan_.max_bytes == 0 ? plan_.chunk_bytes
                              : std::min(plan_.chunk_bytes, plan_.max_bytes / 4);
}

Nanos ChunkSequence::ChunkTime() const {
  const bool is_short = context_.heap != nullptr && context_.heap->IsNearlyFull();
  return is_short ? std::min(plan_.chunk_time_ns, kShortChunkTime) : plan_.chunk_time_ns;
}

bool ChunkSequence::FileIsDue(Nanos now_ns) const {
  if (plan_.file_time_ns == 0) return false;
  const Nanos age_ns = now_ns - file_start_ns_;
  // The open file counts towards max_bytes and cannot be removed, so it ends at half of max_bytes.
  // The file covers at least a second, because the time in a file name changes only once a second.
  const int64_t bytes = writer_->sealed_bytes() + writer_->chunk_bytes();
  const bool is_large = plan_.max_bytes != 0 && bytes >= plan_.max_bytes / 2;
  return age_ns >= plan_.file_time_ns || (is_large && age_ns >= kShortestFileTime);
}

void ChunkSequence::Rotate(Nanos now_ns) {
  EndChunk(now_ns);
  if (FileIsDue(now_ns)) {
    const Status begun = BeginNextFile(now_ns);
    if (!begun) NoteOutcome(begun);
  }
  files_.Trim(writer_->sealed_bytes(), now_ns);
  if (chunk_ != nullptr) return;
  if (now_ns >= retry_ns_) {
    StartChunk(now_ns);
  } else {
    GatherSettings();  // the settings determine how dropped events are counted
  }
}

void ChunkSequence::End(Nanos now_ns) { EndChunk(now_ns); }

void ChunkSequence::Resume(Nanos ended_ns) { StartChunk(ended_ns); }

void ChunkSequence::EndChunk(Nanos now_ns) {
  Status sealed = outcome_;
  const bool was_open = chunk_ != nullptr;
  JNIEnv* const jni = VmIsOutOfReach() ? nullptr : jni_;
  context_.participants.ForEach([jni](ChunkParticipant& each) { each.BeforeLastDrain(jni); });
  if (was_open) chunk_->BeginLastDrain();
  // The ended threads are listed before the epoch ends. A thread that ends later can have samples
  // of the next epoch, and this drain does not take those.
  const std::vector<uint32_t> ended = context_.registry.names().Ended();
  context_.classes.AddUnannounced(context_.jvmti, jni_, now_ns, true);
  context_.traces.ProcessCallTraces(
      [&](uint32_t last_epoch) { DrainInto(last_epoch, ended, now_ns, true); },
      [&] {
        if (chunk_ != nullptr) sealed = Seal(now_ns);
      },
      [&](const CallTrace& kept) { KeepNames(context_.traces, methods_, kept); });
  if (was_open) NoteOutcome(sealed);
  if (is_failing_) retry_ns_ = now_ns + kRetryInterval;
  UpdateSummary();
}

Status ChunkSequence::Seal(Nanos now_ns) {
  chunk_->Close(now_ns);
  context_.participants.ForEach(
      [&](ChunkParticipant& each) { each.WriteClosing(*writer_, now_ns); });
  chunk_.reset();
  if (MemoryIsShort()) return OutOfMemory();
  const Status sealed = writer_->Seal(now_ns);
  if (const auto abandoned = writer_->TakeAbandonedFile()) NoteNewFile(*abandoned);
  return sealed ? writer_->status() : sealed;
}

// The new file begins with the chunk that was just sealed, which is readable on its own. Events
// that are written once per file follow in the next chunk.
void ChunkSequence::NoteNewFile(const JfrWriter::AbandonedFile& abandoned) {
  BeginFile();
  summary_.file = writer_->path();
  ++summary_.changed_files;
  summary_.removed_bytes += static_cast<uint64_t>(abandoned.change.lost_bytes);
  Log::Warn(
      "%s %.*s by another program (%lld bytes of the recording are lost): the recording continues "
      "in %s",
      abandoned.path.c_str(), static_cast<int>(abandoned.change.text.size()),
      abandoned.change.text.data(), static_cast<long long>(abandoned.change.lost_bytes),
      writer_->path().c_str());
}

// Logs one warning for a series of failures, and one line when writing succeeds again.
void ChunkSequence::NoteOutcome(const Status& sealed) {
  outcome_ = sealed;
  if (!sealed && !is_failing_ && !MemoryIsShort()) {
    Log::Warn("a part of the recording could not be written: %s; it goes on as soon as possible",
              sealed.error().message().c_str());
  }
  if (sealed && is_failing_) Log::Info("the recording is being written again");
  is_failing_ = !sealed;
}

void ChunkSequence::StartChunk(Nanos now_ns) {
  writer_->pools().KeepThreads(context_.registry.names().Known());
  DeclareEvents();
  const Status started = writer_->StartChunk(now_ns);
  if (!started) {
    NoteOutcome(started);
    retry_ns_ = now_ns + kRetryInterval;
    return;
  }
  chunk_start_ns_ = now_ns;
  WriteOpening(now_ns);
  virtual_names_.BeginChunk();
  methods_.BeginChunk();
  natives_.BeginChunk();
  chunk_ = std::make_unique<ChunkSamples>(context_, settings_.samples(), *writer_, methods_,
                                          natives_, virtual_names_, contexts_, summary_);
}

// Gathers the settings of all participants anew, because participants might have been added or
// removed since the last chunk.
void ChunkSequence::GatherSettings() {
  settings_.BeginChunk();
  context_.participants.ForEachAtOpening(
      [this](const ChunkParticipant& each) { each.AddSettings(settings_); });
}

void ChunkSequence::DeclareEvents() {
  GatherSettings();
  EventDeclarations declarations = settings_.Declarations();
  contexts_.DeclareIn(declarations);
  writer_->Declare(std::move(declarations));
}

void ChunkSequence::WriteOpening(Nanos now_ns) {
  context_.participants.ForEachAtOpening(
      [&](ChunkParticipant& each) { each.WriteOpening(*writer_, now_ns); });
  settings_.WriteTo(*writer_, now_ns);
}

void ChunkSequence::BeginFile() {
  settings_.BeginFile();
  context_.participants.ForEach([](ChunkParticipant& each) { each.BeginFile(); });
}

// On failure the current file continues, and the next file is tried after another file_time_ns.
Status ChunkSequence::BeginNextFile(Nanos now_ns) {
  file_start_ns_ = now_ns;
  Result<OutputClaim> claim = plan_.claim(file_number_ + 1);
  if (!claim) return claim.error();
  Result<std::unique_ptr<JfrWriter>> next =
      JfrWriter::Claim(claim.value().path(), ChunkClock::Now());
  if (!next) return next.error();
  if (!claim.value().notice().empty()) Log::Warn("%s", claim.value().notice().c_str());
  files_.Add(writer_->path(), writer_->sealed_bytes(), now_ns);
  dropped_events_ += writer_->DroppedEvents();
  writer_ = std::move(next).value();
  claim_ = std::move(claim).value();
  ++file_number_;
  BeginFile();
  return Begin(now_ns);
}

void ChunkSequence::UpdateSummary() {
  summary_.unwritten_events = dropped_events_ + writer_->DroppedEvents();
  summary_.unloaded_methods = methods_.unloaded();
}

}  // namespace jprof
