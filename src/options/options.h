// Options: the meaning of one option string.
//
// The string comes from -agentpath:libprofiler.so=STRING, from an attach (jcmd, jprof) or from the
// Java API; docs/options.md is its reference. The grammar lives in options.def.
//
// Called on whichever thread brought the string. Thread-safe: no state. No I/O, no logging: an
// error is one line for the caller to show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/thread_filter.h"
#include "options/method_pattern.h"
#include "sigsafe/base/priming_path.h"
#include "sigsafe/base/sample_settings.h"
#include "sigsafe/base/types.h"

namespace jprof {

// CpuTrigger: the source of the interrupts of a thread that uses CPU time.
// KernelFrames: whether stacks include kernel frames.
enum class CpuTrigger {
  kBest,  // a request only: the cheapest of the others that honours the interval
  kThreadTimers,
  kPerfEvents,
  kProcessTimer,
};

enum class KernelFrames : bool { kNo, kYes };

// Which frames are recorded, and how they are found (sigsafe/stack/walk_context.h).
enum class StackWalker { kVm, kVmx, kFp, kAgct, kNo };

class ParsedArguments;

// What of the recording a converted file has (profile/slices): texts as they were given, which are
// times where they are to be; empty: everything.
struct OutputPart {
  std::string thread, state, from, until;
  bool reverse = false;
  bool lines = false;
  std::string total;       // "samples", "value"; empty: as the format does
  std::string first_word;  // "thread=main", for messages
};

// The windows in which samples are recorded, by what begins and ends them.
struct WindowEdges {
  // As they were written: methods, or one function of a library. Empty: not given: a window is open
  // from the start, or stays open.
  std::string begin;
  std::string end;
  std::vector<MethodPattern> methods;  // of both

  bool are_given() const { return !begin.empty() || !end.empty(); }
  // SafepointSynchronize::begin, or write; a method has a class before a dot.
  static bool IsFunction(std::string_view edge) {
    return !edge.empty() &&
           (edge.find("::") != std::string_view::npos || edge.find('.') == std::string_view::npos);
  }
};

enum class Command { kStart, kStop, kDump, kStatus, kMethods, kVersion, kHelp };

struct Options {
  Command command = Command::kHelp;

  // At start at least one kind is enabled, else none.
  SampleSettings samples;
  CpuTrigger cpu_trigger = CpuTrigger::kBest;
  KernelFrames kernel_frames = KernelFrames::kNo;
  std::optional<int> cpu_signal;  // not engaged: the first that is free

  // At start: the recording's pattern, always engaged. For version and help: where their output
  // goes instead of stderr, if given. To be expanded by ExpandFilePattern (file_pattern.h).
  std::optional<std::string> file;
  OutputPart part;  // of the recording, if `file` is converted

  // These mean something at start only.
  int32_t max_depth = 0;   // frames kept per stack,
  int32_t root_depth = 0;  // of them at the root of a deeper one
  StackWalker walker = StackWalker::kVm;
  Nanos chunk_time_ns = 0;   // a chunk of the recording is sealed at this age,
  int64_t chunk_bytes = 0;   // or this size
  int64_t memory_bytes = 0;  // for stacks and samples between two chunks
  // Not engaged: one file. Then `file` names each by %n or %t, and the limits may be engaged.
  std::optional<Nanos> loop_ns;
  std::optional<Nanos> max_age_ns;
  std::optional<int64_t> max_bytes;
  std::vector<MethodPattern> traced;    // with SampleKind::kMethod
  WindowEdges window;                   // samples are recorded in windows only, if given
  ThreadFilter filter;                  // the threads that are sampled
  bool context = false;                 // samples have the trace context of their thread,
  std::vector<std::string> attributes;  // with these tags; SampleKind::kSpan: spans are events
  bool context_export = false;          // also those of virtual threads, for readers outside
  bool is_alloc_bounded = false;        // no interval was given: the rate of samples is bounded
  bool tlab_events = false;             // of allocations: the JDK's pair of events for TLABs
  bool live = false;                    // sampled objects that survive
  bool force_collection = false;        // at dump and stop: collects garbage before
  // Not engaged: not given, the system property or the environment may say (watcher_choice.h).
  std::optional<bool> task_watcher;
  PrimingPaths priming = PrimingPaths::All();  // how threads may become known (docs/priming.md)

  // At start: the recording stops by itself after this time, if given.
  std::optional<Nanos> timeout_ns;

  // At start, if given: it also stops when nobody has this file locked any more
  // (recording/caller_lease.h). At stop, if given: of which recording, and no other is stopped.
  std::optional<std::string> lease_file;

  // Where the answer goes instead of the log, if given (agent/answer_file.h).
  std::optional<std::string> answer_file;

  // Not engaged: not given, the logger stays as it is.
  std::optional<LogLevel> log_level;
  std::optional<std::string> log_file;
};

// Accepts `text` as a whole or not at all. Every default is filled in. The error names the
// offending word and the accepted ones, on one line of printable ASCII; it is kUnknownOption or
// kInvalidCommand.
Result<Options> ParseOptions(std::string_view text);

// Of words that are cut already: those of jprof's command line.
Result<Options> ParseOptions(const ParsedArguments& words);

}  // namespace jprof
