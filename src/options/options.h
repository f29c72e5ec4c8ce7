// Options: the meaning of one option string.
//
// The string comes from -agentpath:libprofiler.so=STRING, from an attach (jcmd, jprof) or from the
// Java API. docs/options.md is its reference, options.def its grammar.
//
// Thread-safe: no state. Parsing does no I/O and logs nothing: an error is one line for the caller
// to show.
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

// The event source that interrupts a thread that uses CPU time, so that the thread is sampled.
enum class CpuTrigger {
  kBest,  // only in a request: the cheapest of the sources below that can keep the interval
  kThreadTimers,
  kPerfEvents,
  kProcessTimer,
};

// Whether stacks include kernel frames.
enum class KernelFrames : bool { kNo, kYes };

// Which frames are recorded, and how they are found (sigsafe/stack/walk_context.h).
enum class StackWalker { kVm, kVmx, kFp, kAgct, kNo };

class ParsedArguments;

// The part of the recording that a converted file contains (profile/slice.h). The texts are as they
// were given, and `from` and `until` are known to be times. An empty text selects everything.
struct OutputPart {
  std::string thread, state, from, until;
  bool reverse = false;
  bool lines = false;
  std::string total;       // "samples" or "value"; empty: the default of the format
  std::string first_word;  // "thread=main", for messages
};

// The methods or functions that begin and end the windows in which samples are recorded.
struct WindowEdges {
  // The texts of the two edges as the user wrote them. Each edge is either one or more methods, or
  // one function of a library. If `begin` is empty, a window is open from the start; if `end` is
  // empty, an open window stays open.
  std::string begin;
  std::string end;
  std::vector<MethodPattern> methods;  // methods of both edges

  bool are_given() const { return !begin.empty() || !end.empty(); }
  // True if the edge is a function, such as SafepointSynchronize::begin or write; a method has a
  // class before a dot.
  static bool IsFunction(std::string_view edge) {
    return !edge.empty() &&
           (edge.find("::") != std::string_view::npos || edge.find('.') == std::string_view::npos);
  }
};

// The comparisons with the truth that probes note, of a recording (engines/validate).
struct ValidationChoice {
  std::vector<MethodPattern> methods;  // methods on whose stacks walkers are judged; can be empty
  std::vector<MethodPattern> exact;    // methods whose times are measured; can be empty
  double share = 1;                    // share of these methods, chosen at random
  bool asgct = false;                  // true: also calls AsyncGetCallTrace

  bool is_given() const { return !methods.empty(); }
};

enum class Command { kStart, kStop, kDump, kStatus, kMethods, kVersion, kHelp };

struct Options {
  Command command = Command::kHelp;

  // For the command `start`, at least one kind is enabled; for other commands, none is.
  SampleSettings samples;
  CpuTrigger cpu_trigger = CpuTrigger::kBest;
  KernelFrames kernel_frames = KernelFrames::kNo;
  std::optional<int> cpu_signal;  // nullopt: the first signal that is free

  // For the command `start`: the pattern of the recording's path, never nullopt. For `version` and
  // `help`: the pattern of the file to which the output of the command is written; nullopt if not
  // given, and the output is then part of the answer. ExpandFilePattern (file_pattern.h) expands
  // the pattern.
  std::optional<std::string> file;
  OutputPart part;  // the part of the recording that `file` contains, if it is converted

  // The members from here to `priming`, except force_collection, are used by the command `start`
  // only.
  int32_t max_depth = 0;   // maximum number of frames per stack
  int32_t root_depth = 0;  // number of frames that are kept at the root of a deeper stack
  StackWalker walker = StackWalker::kVm;
  double audit_share = 0;    // share of samples whose stacks are compared with those of the JVM
  Nanos chunk_time_ns = 0;   // age at which a chunk of the recording is sealed
  int64_t chunk_bytes = 0;   // size at which a chunk of the recording is sealed
  int64_t memory_bytes = 0;  // memory for stacks and samples between two chunks
  // The time after which a new file starts; nullopt for a single file. If it is set, `file`
  // contains %n or %t, so that each file has a name of its own. Only then can max_age_ns and
  // max_bytes be set.
  std::optional<Nanos> loop_ns;
  std::optional<Nanos> max_age_ns;
  std::optional<int64_t> max_bytes;
  std::vector<MethodPattern> traced;    // methods to trace, with SampleKind::kMethod
  ValidationChoice validation;          // stacks to compare with the truth
  WindowEdges window;                   // samples are recorded only in these windows
  ThreadFilter filter;                  // the threads that are sampled
  bool context = false;                 // true: samples have the trace context of their thread
  std::vector<std::string> attributes;  // names of tags that samples and events of spans have
  bool context_export = false;    // true: shows contexts of virtual threads to other processes
  bool is_alloc_bounded = false;  // true: no interval of alloc was given, and its rate is bounded
  bool tlab_events = false;       // true: records the JDK's pair of events for TLABs
  bool live = false;              // true: reports sampled objects that survive
  bool force_collection = false;  // true: collects garbage before a dump or stop
  // Whether the task watcher runs (threads/task_watcher.h); nullopt if not given: a system property
  // or an environment variable then decides (sampler/watcher_choice.h).
  std::optional<bool> task_watcher;
  // The ways in which threads become known to the profiler (docs/priming.md).
  PrimingPaths priming = PrimingPaths::All();

  // For the command `start`: the time after which the recording stops by itself; nullopt if not
  // given.
  std::optional<Nanos> timeout_ns;

  // The lease, a file that jprof keeps locked (recording/caller_lease.h); nullopt if not given. For
  // the command `start`: the recording also stops as soon as no process has the lease locked. For
  // `stop`: the recording is stopped only if it was started with this lease.
  std::optional<std::string> lease_file;

  // The file that gets the answer (agent/answer_file.h); nullopt if the log gets it.
  std::optional<std::string> answer_file;

  // The settings of the logger; nullopt if not given: the logger then keeps its current setting.
  std::optional<LogLevel> log_level;
  std::optional<std::string> log_file;
};

// Parses an option string, accepts it as a whole or not at all, and fills in every default. The
// error names the offending word and the accepted ones, on one line of printable ASCII. Its kind is
// kUnknownOption or kInvalidCommand.
Result<Options> ParseOptions(std::string_view text);

// Parses arguments that are split already, such as those of jprof's command line.
Result<Options> ParseOptions(const ParsedArguments& words);

}  // namespace jprof
