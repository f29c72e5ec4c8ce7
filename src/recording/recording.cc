#include "recording/recording.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "answers/answer_text.h"
#include "base/agent_contract.h"
#include "base/log.h"
#include "base/memory_reserve.h"
#include "base/output_place.h"
#include "formats/format_table.h"
#include "jvm/jvm_information.h"
#include "os/loaded_objects.h"
#include "os/task_list.h"

namespace jprof {
namespace {

constexpr int kFirstJdkWithCpuTimeSample = 25;  // JEP 509

// Returns the path of the file that the user knows: the output or, with loop=, the current file.
std::string PathOf(const RecordingOutput& output, const RecordingSummary& summary) {
  return output.IsConverted() || summary.file.empty() ? output.path() : summary.file;
}

// Returns the warning that is logged if the JVM ends before the output is complete.
std::string LateWarning(const RecordingOutput& output) {
  if (!output.IsConverted()) return "the JVM ends before the last chunk is in " + output.path();
  return "the JVM ends before " + output.path() + " is complete: jprof convert " +
         output.recording() + ' ' + output.path() + " makes it of what was written in time";
}

Result<RecordingOutput> OutputOf(const Options& options, uint32_t first) {
  Result<std::string> path = AbsoluteOutputPath(options.file.value(), first);
  if (!path) return path.error();
  Result<RecordingOutput> output = RecordingOutput::Choose(path.value(), options.part);
  if (output && options.loop_ns && output.value().IsConverted()) {
    return Error("a loop writes .jfr files: the name of '" + output.value().path() +
                 "' says another format");
  }
  return output;
}

constexpr std::string_view kFileName = "libprofiler.so";

bool Contains(const ObjectCopy& object, const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return std::ranges::any_of(object.headers, [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object.load_bias + segment.p_vaddr;
    return segment.p_type == PT_LOAD && at >= begin && at < begin + segment.p_memsz;
  });
}

// Returns the path of another loaded copy of this library; empty if there is none.
std::string PathOfOther() {
  const auto* const own_code = reinterpret_cast<const void*>(&PathOfOther);
  for (ObjectCopy& object : LoadedObjects()) {
    if (object.path.ends_with(kFileName) && !Contains(object, own_code)) {
      return std::move(object.path);
    }
  }
  return {};
}

bool HasRecorderThread() {
  const Result<std::vector<Tid>> tasks = ListTasks();
  if (!tasks) return false;
  for (const Tid tid : tasks.value()) {
    if (TaskName(tid) == kRecorderThreadName) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::Start(JvmConnection& jvm, JNIEnv* jni,
                                                    const Options& options, Beginning beginning) {
  const uint32_t first = options.loop_ns ? FirstNumberOfSeries(options.file.value()) : 1;
  Result<RecordingOutput> output = OutputOf(options, first);
  if (!output) return output.error();
  std::unique_ptr<Recording> recording(new Recording(jvm, options, std::move(output).value()));
  const Status leased = recording->OpenLease(options);
  if (!leased) return leased.error();
  RecordingPlan files = recording->Files(options, first, std::move(beginning.stop_soon));
  Result<std::unique_ptr<Sampler>> sampler =
      Sampler::Start(jvm, jni, options, {beginning.number, std::move(files)});
  if (!sampler) return sampler.error();
  recording->sampler_ = std::move(sampler).value();
  return recording;
}

Recording::Recording(JvmConnection& jvm, const Options& options, RecordingOutput output)
    : jvm_(jvm), output_(std::move(output)), requested_{options.samples, options.filter.text()} {}

Status Recording::OpenLease(const Options& options) {
  if (!options.lease_file) return {};
  Result<CallerLease> lease = CallerLease::Open(*options.lease_file);
  if (!lease) return lease.error();
  lease_ = std::make_shared<const CallerLease>(std::move(lease).value());
  answer_file_ = options.answer_file;
  return {};
}

// Returns the plan for the files. `first` is the number for %n of the first file.
RecordingPlan Recording::Files(const Options& options, uint32_t first,
                               std::function<bool()> stop_soon) {
  RecordingPlan files;
  files.path = output_.recording();
  files.stop_soon = std::move(stop_soon);
  files.before_exit = [this](const Result<RecordingSummary>& summary, bool is_end) {
    CompleteBeforeExit(summary, is_end);
  };
  // If the name of the first file belonged to another series, the first claim has added a suffix.
  // All files of this series get the same suffix, so that the two series share no names.
  files.claim = [pattern = *options.file, suffix = output_.claim().suffix(), first](uint32_t file) {
    const Result<std::string> path = AbsoluteOutputPath(pattern, first + file - 1);
    return path ? OutputClaim::Take(WithSuffix(path.value(), suffix), getpid()) : path.error();
  };
  return files;
}

Status Recording::Begin() {
  if (MemoryIsShort()) return OutOfMemory();
  const Status begun = sampler_->Begin();
  if (!begun) return begun;
  Result<std::unique_ptr<ExitWatch>> watch = ExitWatch::Install(LateWarning(output_));
  if (watch) {
    exit_watch_ = std::move(watch).value();
  } else {
    Log::Info("an end by ExitOnOutOfMemoryError loses the open chunk: %s",
              watch.error().message().c_str());
  }
  return {};
}

Result<std::string> Recording::CompleteOutput(const Result<RecordingSummary>& summary) const {
  if (summary) return output_.Complete(summary.value().file);
  return output_.Incomplete(summary.error(), output_.recording());
}

// Runs on the recorder's thread, while a thread of the JVM waits.
void Recording::CompleteBeforeExit(const Result<RecordingSummary>& summary, bool is_end) {
  if (!is_end) {
    if (summary) static_cast<void>(output_.Update(summary.value().file));
    return;
  }
  completed_ = CompleteOutput(summary);
  output_.ReleaseClaim();
  if (*completed_) {
    LogAnswer(SummaryAnswer(AnswerKind::kEnded, summary.value(), PathOf(output_, summary.value())));
  } else {
    Log::ErrorLine("the JVM is ending, and %s is not complete: %s", output_.path().c_str(),
                   completed_->error().message().c_str());
  }
}

Result<AgentAnswer> Recording::UpdateOutput(const Result<RecordingSummary>& summary) const {
  if (!summary) return summary.error();
  const Result<std::string> updated = output_.Update(summary.value().file);
  if (!updated) return updated.error();
  AgentAnswer answer =
      SummaryAnswer(AnswerKind::kDumped, summary.value(), PathOf(output_, summary.value()));
  if (!updated.value().empty()) answer.notes.push_back(updated.value());
  return answer;
}

Result<Recording::Ended> Recording::End() {
  const Result<RecordingSummary>& summary = sampler_->Finish();
  const Result<std::string> completed = completed_ ? *completed_ : CompleteOutput(summary);
  exit_watch_.reset();
  if (!completed) return completed.error();
  std::string path = PathOf(output_, summary.value());
  std::string notice;
  if (lease_ != nullptr && !lease_->IsHeld()) {
    path = KeepUnfetched(path);
    if (lease_->keep_as() != kKeepNothing) {
      notice = "the recording before ended when its jprof record died: " + path + " holds it";
    }
  }
  Ended ended{SummaryAnswer(AnswerKind::kStopped, summary.value(), path), std::move(notice)};
  std::vector<std::string>& notes = ended.answer.notes;
  if (!completed.value().empty()) notes.push_back(completed.value());
  AppendNotes(sampler_->Totals(), notes);
  AppendNotes(TakeNotes(), notes);
  AppendNotes(NoSamplesNotes(summary.value(), requested_), notes);
  AppendNotes(GapNotes(summary.value()), notes);
  return ended;
}

// Keeps a recording whose caller has died, in the way that the lease says. Also removes the file
// with the answer to the start of the recording, if it still exists, because the caller cannot read
// it any more. Returns the path of the recording.
std::string Recording::KeepUnfetched(const std::string& path) const {
  if (answer_file_) unlink(answer_file_->c_str());
  const std::string& keep_as = lease_->keep_as();
  if (keep_as == kKeepNothing) {
    static_cast<void>(RemoveOutput(path));  // the recording is empty, or has only counts
    return path;
  }
  return keep_as.empty() ? path : RecordingOutput::Keep(path, keep_as);
}

std::vector<std::string> Recording::TakeNotes() {
  std::vector<std::string> notes;
  if (!std::exchange(has_noted_claim_, true) && !output_.claim().notice().empty()) {
    notes.push_back("note: " + output_.claim().notice());
  }
  AppendNotes(sampler_->TakeNotes(), notes);
  return notes;
}

RecordingStatus::Running Recording::Describe() const {
  RecordingStatus::Running recording;
  bool samples_waiting = false;
  for (const auto& engine : engines()) {
    const std::string description = engine->Description();
    if (!description.empty()) recording.engines.push_back(description);
    if (engine->SamplesWaitingVirtualThreads()) samples_waiting = true;
    if (const auto signal = engine->signal()) {
      recording.signals[static_cast<size_t>(signal->kind)] = signal->number;
    }
  }
  recording.totals = sampler_->Totals();
  recording.lacks_waiting_virtual_threads =
      !samples_waiting &&
      (!jvm_.hotspot.virtual_threads || jvm_.hotspot.layout.finds_virtual_threads());
  recording.jvm_samples_by_sigprof = JdkRelease(jvm_.events.jvmti()) >= kFirstJdkWithCpuTimeSample;
  recording.summary = sampler_->Latest();
  recording.file = PathOf(output_, recording.summary);
  struct stat file;
  const bool exists = stat(recording.file.c_str(), &file) == 0;
  // Until the first chunk is complete, the file at the path can be that of an older recording.
  if (exists && file.st_mtime >= start_time_) recording.file_bytes = file.st_size;
  recording.start_time = start_time_;
  recording.uptime_ns = MonotonicNanos() - start_ns_;
  recording.threads = jvm_.registry.Counts();
  recording.memory_bytes = sampler_->ResidentBytes();
  return recording;
}

std::optional<std::string> FindRecordingAgent() {
  std::string other = PathOfOther();
  if (other.empty() || !HasRecorderThread()) return std::nullopt;
  return other;
}

}  // namespace jprof
