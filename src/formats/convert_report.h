// WriteFormat: the end of every conversion: which kind is written, by a writer, and what there is
// to say of it. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/format_row.h"

namespace jprof {

struct ConvertOptions {
  // "cpu", "wall", ...: the event to write, or to show first on a page. Empty: among the events
  // with samples the first that was requested, or else the first of sample_kinds.def.
  std::string event = {};
  std::string title = {};  // of a page; empty: the name of the recording
  profile::LineNumbers lines = profile::LineNumbers::kDrop;
  FormatOptions format = {};
};

// Samples are counted in intervals, as in the agent: a sample of n intervals counts n. All texts
// are one line.
struct ConvertReport {
  uint64_t samples = 0;            // in the output
  std::string event;               // converted, or shown first on the page; empty: no samples
  std::string counts;              // of the output by event: "309 cpu, 4920 wall samples"
  std::string others;              // alternatives to `event` if none was chosen: "wall"
  std::string missing;             // the unreadable part of the input; empty: none
  std::vector<std::string> notes;  // why a requested event has no samples, and the remedy
};

// Chooses the kind by `options.event`, lets `writer` write `profile` to `out`, and finishes `out`.
// `context`: all but the kind. REQUIRES: the writer has got every sample of the profile.
Result<ConvertReport> WriteFormat(const FormatRow& format, FormatWriter& writer,
                                  const profile::Profile& profile, const ConvertOptions& options,
                                  FormatContext context, OutputStream& out);

// "out.collapsed shows cpu; also recorded: wall": the choice that was made by default. Empty: there
// was no choice.
std::string ChoiceText(const std::string& output, const FormatRow& format,
                       const ConvertReport& report);

}  // namespace jprof
