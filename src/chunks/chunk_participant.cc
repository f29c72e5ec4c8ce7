#include "chunks/chunk_participant.h"

#include <algorithm>

#include "chunks/sample_events.h"
#include "sigsafe/base/check.h"

namespace jprof {

void ChunkParticipants::Add(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  JPROF_CHECK(std::ranges::count(participants_, participant, &JoinedParticipant::participant) == 0);
  participants_.push_back({participant});
  if (const std::optional<SampleKind> held = participant->HeldKind()) {
    ChunkParticipant*& holder = holders_[static_cast<size_t>(*held)];
    JPROF_CHECK(holder == nullptr);
    holder = participant;
  }
}

void ChunkParticipants::Retire(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  for (JoinedParticipant& entry : participants_) {
    entry.is_retired |= entry.participant == participant;
  }
}

void ChunkParticipants::Remove(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  std::erase_if(participants_,
                [=](const JoinedParticipant& entry) { return entry.participant == participant; });
  std::ranges::replace(holders_, participant, static_cast<ChunkParticipant*>(nullptr));
}

bool ChunkParticipants::HoldBack(const ResolvedSample& resolved) {
  const std::lock_guard lock(mutex_);
  ChunkParticipant* const holder = holders_[static_cast<size_t>(resolved.sample.kind)];
  return holder != nullptr && holder->HoldBack(resolved);
}

}  // namespace jprof
