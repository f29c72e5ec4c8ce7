#include "chunks/chunk_participant.h"

#include <algorithm>

#include "sigsafe/base/check.h"

namespace jprof {

void ChunkParticipants::Add(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  JPROF_CHECK(std::ranges::count(participants_, participant, &JoinedParticipant::participant) == 0);
  participants_.push_back({participant});
}

void ChunkParticipants::Retire(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  for (JoinedParticipant& entry : participants_)
    entry.is_retired |= entry.participant == participant;
}

void ChunkParticipants::Remove(ChunkParticipant* participant) {
  const std::lock_guard lock(mutex_);
  std::erase_if(participants_,
                [=](const JoinedParticipant& entry) { return entry.participant == participant; });
}

bool ChunkParticipants::HoldBack(const ResolvedSample& resolved) {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(participants_, [&](const JoinedParticipant& entry) {
    return entry.participant->HoldBack(resolved);
  });
}

}  // namespace jprof
