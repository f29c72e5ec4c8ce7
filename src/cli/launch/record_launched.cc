#include "cli/launch/record_launched.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attach/failure.h"
#include "base/output_claim.h"
#include "base/output_place.h"
#include "cli/convert/conversion.h"
#include "cli/convert/open.h"
#include "cli/convert/result_path.h"
#include "cli/launch/launch_folder.h"
#include "cli/launch/launched_run.h"
#include "cli/words/command_line.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"

namespace jprof {
namespace {

// A recording and the number of its samples.
struct Counted {
  LaunchedRecording recording;
  uint64_t samples = 0;
  std::string counts;  // "309 cpu samples"
};

// Counts the samples of a recording in a confined process. The result has 0 samples if the
// recording cannot be read.
Counted Count(const LaunchFolder& folder, const LaunchedRecording& recording) {
  Counted counted{recording, 0, {}};
  Outcome<ScopedFd> input = folder.Open(recording.name);
  if (!input) return counted;
  const std::optional<ConvertReport> report =
      CountSamples({std::move(input).value(), folder.PathOf(recording.name)});
  if (!report) return counted;
  counted.samples = report->samples;
  counted.counts = report->counts;
  return counted;
}

// Returns what a recording contains, such as ": 309 cpu samples". In the line that reports the
// result, this text stands between "process 4711" and " in /x/a.jfr".
std::string ContentText(const Counted& counted) {
  if (!counted.recording.was_cut_off) {
    return ": " + (counted.counts.empty() ? "a recording" : counted.counts);
  }
  if (counted.samples == 0) {
    return " was killed before a chunk of its recording was finished: there are no samples";
  }
  return " was killed: the chunks that were finished hold " + counted.counts;
}

// Returns the recordings that have ended, sorted by their samples, then by their bytes, the most
// first. The first one gets the path that the user wants.
std::vector<Counted> CountAll(const LaunchFolder& folder) {
  std::vector<Counted> all;
  for (const LaunchedRecording& recording : folder.List()) {
    if (!recording.is_recording) all.push_back(Count(folder, recording));
  }
  std::ranges::stable_sort(all, [](const Counted& a, const Counted& b) {
    return std::pair(a.samples, a.recording.bytes) > std::pair(b.samples, b.recording.bytes);
  });
  return all;
}

// Returns the wanted path for the recording of the process `pid`. Adds the pid to the path if
// another recording was already delivered to the wanted path. This happens if --output has no %p,
// or if several processes had the same pid, one after the other or in different namespaces.
Outcome<std::string> PathOf(const CommandLine& line, pid_t pid,
                            const std::vector<std::string>& delivered) {
  Outcome<std::string> path = WantedPath(line, pid);
  if (!path || std::ranges::find(delivered, path.value()) == delivered.end()) return path;
  return FreeName(WithSuffix(path.value(), "-" + std::to_string(pid)));
}

// Moves or converts the recording `name` to `path`. `format`: the format of the result; nullopt if
// the result is the recording itself.
Outcome<void> DeliverTo(const std::string& path, const std::optional<OutputFormat>& format,
                        const LaunchFolder& folder, const std::string& name) {
  if (!format) {
    const Status moved = folder.MoveTo(name, path);
    return moved ? Outcome<void>() : Failure(FailureKind::kFile, moved.error());
  }
  Outcome<ScopedFd> opened = folder.Open(name);
  if (!opened) return opened.error();
  const profile::RecordingInput input{std::move(opened).value(), folder.PathOf(name)};
  const profile::Slice everything;
  ConversionTask task{{&input, 1}, everything, *format};
  task.options.title = path.substr(path.rfind('/') + 1);
  const Outcome<ConvertReport> report = ConvertToFile(task, path);
  if (!report) return report.error();
  PrintNotes(report.value());
  return {};
}

// Moves or converts a recording to `wanted`, or to a path in the same folder if another process
// writes to `wanted`. Returns the path of the result.
Outcome<std::string> Deliver(const LaunchFolder& folder, const LaunchedRecording& recording,
                             const std::string& wanted, const std::optional<OutputFormat>& format) {
  const Result<OutputClaim> claim = OutputClaim::Take(wanted, recording.pid);
  if (!claim) return Failure(FailureKind::kFile, claim.error());
  if (!claim.value().notice().empty()) PrintNote(claim.value().notice());
  const std::string& path = claim.value().path();
  const Outcome<void> delivered = DeliverTo(path, format, folder, recording.name);
  if (!delivered) return delivered.error();
  return path;
}

// The results of the recordings.
struct Delivered {
  std::vector<std::string> paths;
  std::vector<std::string> objects;  // a JSON object for each result
};

// Returns `failure` with a longer message, which also names the folder that keeps the recordings.
Failure Kept(const Failure& failure, const LaunchFolder& folder) {
  return Failure(failure.kind(),
                 failure.message() + "; the recordings are kept in " + folder.path());
}

// Delivers every recording to its path. Removes a recording without samples, unless it is the first
// one or its JVM was killed. If a recording cannot be delivered, the failure names the folder, in
// which this recording and all later ones stay.
Outcome<Delivered> DeliverAll(const CommandLine& line, const std::optional<OutputFormat>& format,
                              const LaunchFolder& folder) {
  const std::vector<Counted> all = CountAll(folder);
  std::string empty;
  Delivered done;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [recording, samples, counts] = all[i];
    const std::string process = "process " + std::to_string(recording.pid);
    if (i > 0 && samples == 0 && !recording.was_cut_off) {
      empty += (empty.empty() ? "" : ", ") + std::to_string(recording.pid);
      folder.Remove(recording);
      continue;
    }
    const Outcome<std::string> wanted = PathOf(line, recording.pid, done.paths);
    if (!wanted) return Kept(wanted.error(), folder);
    const Outcome<std::string> delivered = Deliver(folder, recording, wanted.value(), format);
    if (!delivered) return Kept(delivered.error(), folder);
    folder.Remove(recording);
    done.paths.push_back(delivered.value());
    done.objects.push_back(JsonObject()
                               .Number("pid", static_cast<uint64_t>(recording.pid))
                               .Text("file", delivered.value())
                               .Number("samples", samples)
                               .Text("counts", counts)
                               .Bool("wasKilled", recording.was_cut_off)
                               .Done());
    PrintNote(process + ContentText(all[i]) + " in " + ResultLine(delivered.value(), format));
  }
  if (!empty.empty()) PrintNote("no samples and no file of short-lived processes: " + empty);
  return done;
}

// The results, and the exit code of the command.
struct Launched {
  Outcome<Delivered> result;
  int code;
};

// Runs the command. When this function returns, signals affect jprof again.
Outcome<Launched> RunAndDeliver(const CommandLine& line, const LaunchPlan& plan,
                                const WantedResult& wanted) {
  Outcome<LaunchFolder> folder = LaunchFolder::Create(wanted.path);
  if (!folder) return folder.error();
  Outcome<LaunchedRun> run = LaunchedRun::Start(line, plan, folder.value());
  if (!run) return run.error();
  const Outcome<void> recorded = run.value().AwaitRecordings();
  // The results are there as soon as the recordings have ended, even if the command goes on.
  Outcome<Delivered> result = recorded ? DeliverAll(line, wanted.format, folder.value())
                                       : Outcome<Delivered>(recorded.error());
  return Launched{std::move(result), run.value().AwaitEnd()};
}

}  // namespace

Outcome<int> RecordLaunched(const CommandLine& line) {
  const Outcome<LaunchPlan> plan = LaunchPlanOf(line);
  if (!plan) return plan.error();
  const Outcome<WantedResult> wanted = CheckedResult(line);
  if (!wanted) return wanted.error();
  const Outcome<Launched> launched = RunAndDeliver(line, plan.value(), wanted.value());
  if (!launched) return launched.error();
  const auto& [result, code] = launched.value();
  if (!result) {
    if (code == 0) return result.error();
    PrintNote(result.error().message());
    return code;
  }
  if (line.Has(NameOf(CliOption::kJson))) {
    const Outcome<void> printed =
        PrintResult(JsonObject()
                        .Number("exitCode", static_cast<uint64_t>(code))
                        .Value("recordings", JsonArray(result.value().objects))
                        .Done());
    if (!printed) return printed.error();
  }
  if (line.Has(NameOf(CliOption::kOpenResult)) && !result.value().paths.empty()) {
    const Outcome<void> opened = OpenResult(result.value().paths.front());
    if (!opened) return opened.error();
  }
  return code;
}

}  // namespace jprof
