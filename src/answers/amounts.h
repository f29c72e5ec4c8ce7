// Amounts: the facts about how much a recording contains and how much was lost, and texts that show
// these facts.
//
// A newer agent can use kinds, reasons and units that this program does not know. They are shown by
// the names that they have in the keys. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "answers/agent_answer.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {

// Returns the key of an amount of the kind, such as "recorded.cpu.samples". `what` is "recorded",
// "lost.REASON" or "outsideOfWindows".
std::string AmountKey(std::string_view what, const SampleKindRow& kind);

// Returns "1234 samples (1000 cpu, 234 wall)", then the amounts of the kinds with other units. The
// numbers of samples are weights in intervals, as in the recording. "4096 bytes of alloc as
// sampled" is the text for an estimate that is not yet scaled to the JVM's own count.
std::string RecordedText(const AgentFacts& facts);

// Returns "5 lost (5 sample buffers full)", then the losses of kinds with other units.
std::string LostText(const AgentFacts& facts);

// Returns "3 windows of 1.25 s, 300 outside (300 cpu)"; empty if the recording has no windows.
std::string WindowsText(const AgentFacts& facts);

// Returns "12 samples without the root of the stack, which was too deep to walk for each"; empty if
// the number of these samples is 0.
std::string WithoutRootText(const AgentFacts& facts);

}  // namespace jprof
