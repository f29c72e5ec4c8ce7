// Convert: converts a recording to another format. The entry point of this module.
//
// Any thread; prints nothing and uses no standard stream. Memory: as ReadSamples, plus the sums of
// samples by stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

enum class OutputFormat : uint8_t { kFlameGraph, kCollapsed };

enum class ThreadFrames : uint8_t { kNone, kFirst };
enum class TierSuffixes : uint8_t { kAppend, kOmit };

struct ConvertOptions {
  // "cpu", "wall", ...: the event to write, or to show first on a page. Empty: among the events
  // with samples the first that was requested, or else the first of sample_kinds.def.
  std::string event = {};
  std::string title = {};  // of a page; empty: the name of the recording

  // Collapsed stacks only.
  ThreadFrames threads = ThreadFrames::kNone;  // kFirst: "[name tid=123]" is the outermost frame
  TierSuffixes suffixes = TierSuffixes::kAppend;
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

// "out.collapsed holds cpu and not wall": the choice that was made by default. Empty: there was no
// choice.
std::string ChoiceText(const std::string& output, OutputFormat format, const ConvertReport& report);

// By the extension, in upper or lower case: .html, .collapsed, .txt.
std::optional<OutputFormat> FormatOfPath(std::string_view path);

// Whether the extension is .jfr.
bool IsRecordingPath(std::string_view path);

// ".html, .collapsed or .txt", and with .jfr before them; for messages and help.
std::string KnownExtensions();
std::string OutputExtensions();

// Replaces the file at `output_path` atomically when the new file is complete; on failure it stays
// unchanged. The error is one line with a remedy.
Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options = {});

// As Convert, between descriptors; `output` stays open. The names are for messages and titles.
Result<ConvertReport> ConvertToFd(ScopedFd input, const std::string& input_name,
                                  OutputFormat format, int output, const std::string& output_name,
                                  const ConvertOptions& options = {});

// As Convert, to a descriptor, which stays open.
Result<ConvertReport> ConvertToFd(const std::string& input_path, OutputFormat format, int fd,
                                  const ConvertOptions& options = {});

}  // namespace jprof
