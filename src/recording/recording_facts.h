// SummaryFacts: the counts of a recording as facts, for programs.
//
// Thread-safe: no state.
#pragma once

#include "answers/agent_facts.h"
#include "chunks/recording_summary.h"

namespace jprof {

// Adds what is recorded, lost and outside of windows, and what of it lacks something.
void AddSummaryFacts(const RecordingSummary& summary, AgentFacts& facts);

}  // namespace jprof
