#include "cli/validation_runs.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "base/agent_contract.h"
#include "base/output_claim.h"
#include "base/output_place.h"
#include "cli/agct_death.h"
#include "cli/convert/result_path.h"
#include "cli/launch/launch_folder.h"
#include "cli/launch/launched_run.h"
#include "cli/words/print.h"
#include "jfr/reader/jfr_repair.h"
#include "options/option_table.h"
#include "os/read_file.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// A JVM that is killed loses its open chunk, which this limits to a second.
constexpr char kShortChunks[] = ",chunktime=1s";
constexpr int kKilled = 128 + SIGKILL;

// Returns the call that killed the JVM of the recording; nullopt if another cause ended it.
std::optional<AgctDeath> DeathOf(const LaunchFolder& folder, const LaunchedRecording& recording) {
  if (!recording.was_cut_off) return std::nullopt;
  const Result<std::string> note =
      ReadFile(folder.PathOf(recording.name + std::string(kAgctNoteSuffix)));
  return note ? ParseAgctNote(note.value()) : std::nullopt;
}

// Removes an incomplete chunk at the end of the recording of a killed JVM.
Outcome<void> CutIncomplete(const std::string& path) {
  const Result<profile::JfrRepairReport> report = profile::RepairJfr(path);
  if (!report) return Failure(FailureKind::kFile, report.error());
  if (!report.value().tail.empty()) unlink(report.value().tail.c_str());
  return {};
}

class Runs {
 public:
  Runs(const CommandLine& line, std::string recording)
      : line_(line), recording_(std::move(recording)) {}

  Outcome<ValidatedRuns> RecordAll(LaunchPlan plan) {
    std::optional<Nanos> deadline_ns;
    for (;;) {
      const int deaths = deaths_;
      const Outcome<std::optional<Nanos>> end = RecordOne(plan);
      if (!end) return end.error();
      if (!deadline_ns) deadline_ns = end.value();
      if (deaths_ == deaths) return done_;
      if (deaths_ >= kMostAgctDeaths) {
        PrintNote("the command is not run again: " + std::to_string(deaths_) +
                  " of its JVMs were killed by AsyncGetCallTrace");
        return done_;
      }
      if (plan.duration && deadline_ns) {
        plan.duration = *deadline_ns - MonotonicNanos();
        if (*plan.duration <= 0) return done_;
      }
      PrintNote("running the command again");
    }
  }

 private:
  // Runs the command once. Returns the end of the duration (LaunchedRun::deadline_ns).
  Outcome<std::optional<Nanos>> RecordOne(const LaunchPlan& plan) {
    Outcome<LaunchFolder> folder = LaunchFolder::Create(recording_);
    if (!folder) return folder.error();
    Outcome<LaunchedRun> run = LaunchedRun::Start(line_, plan, folder.value());
    if (!run) return run.error();
    const Outcome<void> recorded = run.value().AwaitRecordings();
    done_.command_code = run.value().AwaitEnd();
    if (!recorded) {
      if (done_.recordings.empty()) return recorded.error();
      PrintNote(recorded.error().message());
    }
    for (const LaunchedRecording& recording : folder.value().List()) {
      if (recording.is_recording) continue;
      const Outcome<void> delivered = Deliver(folder.value(), recording);
      if (delivered) continue;
      return Failure(
          delivered.error().kind(),
          delivered.error().message() + "; the recordings are kept in " + folder.value().path());
    }
    if (done_.recordings.empty()) {
      return Failure(FailureKind::kNoAnswer,
                     "the JVMs of the command did not end their recordings in time");
    }
    return run.value().deadline_ns();
  }

  Outcome<void> Deliver(const LaunchFolder& folder, const LaunchedRecording& recording) {
    const std::string path = folder.PathOf(recording.name);
    if (recording.was_cut_off) {
      const Outcome<void> cut = CutIncomplete(path);
      if (!cut) return cut;
    }
    // Another process can kill the JVM while it happens to be in a call.
    const std::optional<AgctDeath> death =
        done_.command_code == kKilled ? std::nullopt : DeathOf(folder, recording);
    if (death) {
      ++deaths_;
      PrintNote(TextOf(*death, recording.pid));
      const Outcome<void> added = AddToRecording(*death, path);
      if (!added) return added;
    }
    const std::string wanted =
        done_.recordings.empty()
            ? recording_
            : FreeName(WithSuffix(recording_, "-" + std::to_string(recording.pid)));
    const Result<OutputClaim> claim = OutputClaim::Take(wanted, recording.pid);
    if (!claim) return Failure(FailureKind::kFile, claim.error());
    if (!claim.value().notice().empty()) PrintNote(claim.value().notice());
    const Status moved = folder.MoveTo(recording.name, claim.value().path());
    if (!moved) return Failure(FailureKind::kFile, moved.error());
    done_.recordings.push_back(claim.value().path());
    folder.Remove(recording);
    return {};
  }

  const CommandLine& line_;
  const std::string recording_;
  ValidatedRuns done_;
  int deaths_ = 0;
};

}  // namespace

Outcome<ValidatedRuns> RecordRuns(const CommandLine& line, const std::string& recording) {
  Outcome<LaunchPlan> plan = LaunchPlanOf(line);
  if (!plan) return plan.error();
  LaunchPlan wanted = std::move(plan).value();
  if (line.Has(RowOf(OptionId::kAgct).name)) wanted.start += kShortChunks;
  return Runs(line, recording).RecordAll(std::move(wanted));
}

}  // namespace jprof
