// AddSummaryFacts, SummaryAnswer, GapNotes, NoSamplesNotes: the facts and notes in the answers
// about a recording.
//
// Thread-safe: the functions have no state.
#pragma once

#include <string>
#include <vector>

#include "answers/agent_answer.h"
#include "answers/agent_facts.h"
#include "chunks/recording_summary.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

// Adds the counts of a recording as facts, for programs: the samples that are recorded, lost and
// outside of windows, and those that lack something.
void AddSummaryFacts(const RecordingSummary& summary, AgentFacts& facts);

// The events that were requested at the start.
struct RequestedEvents {
  SampleSettings samples;
  std::string filter;  // text of the option; empty: all threads
};

// Returns the answer of dump, of stop, or of a JVM that ends its process without a stop.
AgentAnswer SummaryAnswer(AnswerKind kind, const RecordingSummary& summary,
                          const std::string& path);

// Returns a line that begins with "warning: " for each kind of which more than 1 % lack frames or
// names.
std::vector<std::string> GapNotes(const RecordingSummary& summary);

// Returns a line that begins with "warning: " for each requested event without samples, with the
// reason and the remedy.
std::vector<std::string> NoSamplesNotes(const RecordingSummary& summary,
                                        const RequestedEvents& requested);

}  // namespace jprof
