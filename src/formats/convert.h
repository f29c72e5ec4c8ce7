// Convert: a recording to another format. The entry point of this module.
//
// Any thread; prints nothing and touches no standard stream. Memory: that of ReadSamples, and the
// samples summed up by stack.
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
  // "cpu", "wall", ...: what is written, and what a page shows first. Empty: of those that have
  // samples the first that was asked for, or else the first of sample_kinds.def.
  std::string event = {};
  std::string title = {};  // of a page; empty: the name of the recording

  // Collapsed stacks only.
  ThreadFrames threads = ThreadFrames::kNone;  // kFirst: "[name tid=123]" is the outermost frame
  TierSuffixes suffixes = TierSuffixes::kAppend;
};

// Samples are counted in intervals, as the agent counts them: what stands for n is n. All texts are
// one line.
struct ConvertReport {
  uint64_t samples = 0;  // in the output
  std::string event;     // that was converted, or that the page shows first; empty: no samples
  std::string counts;    // of the output by event: "309 cpu, 4920 wall samples"
  std::string others;    // events that could have been chosen in its place, if nobody chose: "wall"
  std::string missing;   // what of the input could not be read; empty: nothing
  std::vector<std::string> notes;  // why an event that was asked for has no samples, and what to do
};

// "out.collapsed holds cpu and not wall": what was chosen where nobody has. Empty: there was no
// choice.
std::string ChoiceText(const std::string& output, OutputFormat format, const ConvertReport& report);

// By the extension, in upper or lower case: .html, .collapsed, .txt.
std::optional<OutputFormat> FormatOfPath(std::string_view path);

// Whether the extension is that of a recording: .jfr.
bool IsRecordingPath(std::string_view path);

// ".html, .collapsed or .txt", and with .jfr before them; for messages and help.
std::string KnownExtensions();
std::string OutputExtensions();

// The file at `output_path` is replaced at once when the new one is complete, and untouched when
// anything fails. The error is one line that says what to do.
Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options = {});

// The same between descriptors; `output` stays open. The names are for messages and titles.
Result<ConvertReport> ConvertToFd(ScopedFd input, const std::string& input_name,
                                  OutputFormat format, int output, const std::string& output_name,
                                  const ConvertOptions& options = {});

// The same to a descriptor, which stays open.
Result<ConvertReport> ConvertToFd(const std::string& input_path, OutputFormat format, int fd,
                                  const ConvertOptions& options = {});

}  // namespace jprof
