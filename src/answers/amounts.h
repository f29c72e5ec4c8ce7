// Amounts: the facts about how much a recording has, and the parts of sentences that name them.
//
// Kinds, reasons and units of an agent that is newer than this program are named as it names them.
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "answers/agent_facts.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

// Returns the key of an amount of the kind: "recorded.cpu.samples"; `what`: "recorded", "lost.REASON"
// or "outsideOfWindows".
std::string AmountKey(std::string_view what, const SampleKindRow& kind);

// "1234 samples (1000 cpu, 234 wall)", counted in intervals, as their weight in the recording is;
// then the kinds with other units: "4096 bytes of alloc as sampled" is an estimate, before it is
// scaled to what the JVM has counted.
std::string RecordedText(const AgentFacts& facts);

// "5 lost (5 sample buffers full)".
std::string LostText(const AgentFacts& facts);

// "3 windows of 1.25 s, 300 outside (300 cpu)"; empty: the recording has no windows.
std::string WindowsText(const AgentFacts& facts);

// "12 samples without the root of the stack, which was too deep to walk for each"; empty: none.
std::string WithoutRootText(const AgentFacts& facts);

}  // namespace jprof
