#include "cli/convert/conversion.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attach/failure.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "base/printable_text.h"
#include "base/scaled_text.h"
#include "base/scoped_fd.h"
#include "cli/convert/confined_process.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
#include "conversion/whole_recording.h"
#include "os/memory_limit.h"
#include "sigsafe/os/clock.h"
#include "sources/source_finder.h"
#include "sources/source_service.h"

namespace jprof {
namespace {

// SourceProcess: a process that reads source files with jprof's rights, for a confined process that
// has fewer rights. It passes on only single source files, and only from the folders and archives
// that the user has named (sources/source_service.h).
//
// Needs Linux; used on jprof's only thread.
class SourceProcess {
 public:
  // Starts the process. Fails for a place that SourceFinder::Add refuses.
  static Outcome<SourceProcess> Start(const std::vector<std::string>& places);

  SourceProcess(SourceProcess&& other) noexcept;
  SourceProcess& operator=(SourceProcess&&) = delete;
  // Ends the process.
  ~SourceProcess();

  // Returns the socket through which the confined process asks for source files.
  int socket() const { return socket_.get(); }

 private:
  SourceProcess(ScopedFd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  ScopedFd socket_;
  pid_t pid_;  // 0 if moved from
};

Outcome<SourceProcess> SourceProcess::Start(const std::vector<std::string>& places) {
  Result<SourceFinder> sources = SourceFinder::Of(places);
  if (!sources) {
    return Failure(FailureKind::kFile, "--source: " + sources.error().message());
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("socketpair", ""));
  }
  ScopedFd ours(ends[0]);
  ScopedFd theirs(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return Failure(FailureKind::kFile, Error::FromErrno("fork", ""));
  if (pid == 0) {
    ours.Reset();
    std::signal(SIGPIPE, SIG_IGN);  // the confined process might have ended
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
      AnswerForSources(theirs.get(), sources.value());
    }
    _exit(0);
  }
  return SourceProcess(std::move(ours), pid);
}

SourceProcess::SourceProcess(SourceProcess&& other) noexcept
    : socket_(std::move(other.socket_)), pid_(std::exchange(other.pid_, 0)) {}

SourceProcess::~SourceProcess() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

constexpr uint64_t kMegabyte = uint64_t{1} << 20;
// The assumed size of a recording that comes from a pipe.
constexpr uint64_t kPipedBytes = 1024 * kMegabyte;
constexpr Nanos kShortWorkNs = kNanosPerSecond;
constexpr char kGood = '+';
constexpr char kBad = '-';

// Returns `text` as one printable line. The child and the parent both pass all texts from
// recordings through this function, since the child might be compromised.
std::string OneLine(std::string_view text) { return PrintableText(text, Layout::kEscape); }

// The text members of a report. In an answer, their lines are in this order, before the lines of
// the notes.
constexpr std::string ConvertReport::*kTexts[] = {&ConvertReport::event, &ConvertReport::counts,
                                                  &ConvertReport::others, &ConvertReport::missing,
                                                  &ConvertReport::finding};

// Returns the answer of the child. It is "+" and the number of samples, followed by the texts and
// the notes, or it is "-" and the error.
std::string AnswerOf(const Result<ConvertReport>& report) {
  if (!report) return kBad + OneLine(report.error().message());
  std::string answer = kGood + std::to_string(report.value().samples);
  for (const auto text : kTexts) answer += '\n' + OneLine(report.value().*text);
  for (const std::string& note : report.value().notes) answer += '\n' + OneLine(note);
  return answer;
}

std::string_view NextLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<Result<ConvertReport>> ParseAnswer(std::string_view answer) {
  if (answer.empty()) return std::nullopt;
  const char outcome = answer.front();
  answer.remove_prefix(1);
  if (outcome == kBad) return Error(OneLine(answer));
  const std::string_view samples = NextLine(answer);
  ConvertReport report;
  const char* const end = samples.data() + samples.size();
  const auto [rest, status] = std::from_chars(samples.data(), end, report.samples);
  if (outcome != kGood || status != std::errc() || rest != end) return std::nullopt;
  for (const auto text : kTexts) report.*text = OneLine(NextLine(answer));
  while (!answer.empty()) report.notes.push_back(OneLine(NextLine(answer)));
  return report;
}

// Opens a recording. Refuses the name of a FIFO, since opening a FIFO could wait forever. Accepts a
// pipe that is already open, by the name "-", "/dev/stdin" or "/dev/fd/N".
Outcome<profile::RecordingInput> OpenRecording(const std::string& path) {
  if (path == "-") {
    ScopedFd fd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!fd.valid()) return Failure(FailureKind::kFile, Error::FromErrno("dup", "standard input"));
    return profile::RecordingInput{std::move(fd), "standard input"};
  }
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("open", path));
  }
  const bool is_open_pipe = path == "/dev/stdin" || path.starts_with("/dev/fd/");
  if (!S_ISREG(info.st_mode) && !is_open_pipe) {
    return Failure(FailureKind::kFile,
                   Error("'" + path +
                         "' is not a regular file: name a recording, or pipe it "
                         "to jprof convert -"));
  }
  fcntl(fd.get(), F_SETFL, O_RDONLY);  // clears O_NONBLOCK: reads wait for data
  return profile::RecordingInput{std::move(fd), path};
}

// Returns the size of a recording in bytes; nullopt if the size is unknown because the recording
// comes from a pipe.
std::optional<uint64_t> SizeOf(const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<uint64_t>(std::max<off_t>(info.st_size, 0));
}

// SharedProgress: the amount that the child has read so far, in memory that child and parent share.
class SharedProgress {
 public:
  SharedProgress()
      : page_(mmap(nullptr, sizeof(profile::ReadProgress), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ != MAP_FAILED) progress_ = new (page_) profile::ReadProgress;
  }
  ~SharedProgress() {
    if (page_ != MAP_FAILED) munmap(page_, sizeof(profile::ReadProgress));
  }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  profile::ReadProgress* get() const { return progress_; }
  int64_t bytes() const {
    return progress_ == nullptr ? 0 : progress_->bytes.load(std::memory_order_relaxed);
  }
  int64_t reached_ns() const {
    return progress_ == nullptr ? 0 : progress_->reached_ns.load(std::memory_order_relaxed);
  }

 private:
  void* page_;
  profile::ReadProgress* progress_ = nullptr;
};

// Returns advice for a recording that is too large, as the end of a line. `reached_ns`: how far
// into the recording the conversion had read when it reached a limit. A quarter of this time stays
// within the limit, because writing takes up to three times the memory of reading.
std::string AdviceFor(const profile::Slice& slice, int64_t reached_ns) {
  constexpr int64_t kMillisecondNs = 1'000'000;
  const int64_t fits_ms = reached_ns / 4 / kMillisecondNs;
  if (slice.from() || fits_ms == 0) {
    return ": choose a smaller part of it, by --from and --until, --event or --thread";
  }
  const bool is_long = fits_ms >= 10'000;
  return ": choose a part of it, as --until " +
         (is_long ? std::to_string(fits_ms / 1000) + "s" : std::to_string(fits_ms) + "ms") +
         ", which fits";
}

// Facts about the inputs, which determine the rights and limits of the child.
struct InputFacts {
  uid_t uid = 0;  // owner of all inputs; 0 (Confinement::uid) if they have several owners
  gid_t gid = 0;
  uint64_t bytes = 0;
  std::vector<int> fds;

  static Outcome<InputFacts> Of(std::span<const profile::RecordingInput> inputs) {
    InputFacts facts;
    for (const profile::RecordingInput& input : inputs) {
      struct stat info;
      if (fstat(input.fd.get(), &info) != 0) {
        return Failure(FailureKind::kFile, Error::FromErrno("fstat", input.name));
      }
      const bool is_first = facts.fds.empty();
      const bool is_same = facts.uid == info.st_uid && facts.gid == info.st_gid;
      facts.uid = is_first || is_same ? info.st_uid : 0;
      facts.gid = is_first || is_same ? info.st_gid : 0;
      facts.bytes += SizeOf(info).value_or(kPipedBytes);
      facts.fds.push_back(input.fd.get());
    }
    return facts;
  }
};

}  // namespace

ConversionLimits ConversionLimits::For(uint64_t recording_bytes) {
  const uint64_t usable = UsableMemoryBytes();
  // The limits are far above what real recordings need. A conversion takes some 10 ms of CPU per
  // megabyte, and most outputs are smaller than their recordings. Compressed recordings unpack to
  // some 5 times their size.
  const uint64_t output = 64 * (kMegabyte + recording_bytes);
  return {.memory_bytes = std::max(usable / 2, 512 * kMegabyte),
          .cpu_seconds = 60 + recording_bytes / kMegabyte,
          .output_bytes = output,
          .unpacked_bytes = std::min(output, std::max(usable / 4, 64 * kMegabyte))};
}

Outcome<std::vector<profile::RecordingInput>> OpenRecordings(
    const std::vector<std::string>& paths) {
  std::vector<profile::RecordingInput> recordings;
  bool has_standard_input = false;
  for (const std::string& path : paths) {
    if (path == "-" && has_standard_input) {
      return Failure(FailureKind::kUsage, "standard input is given twice: leave out one -");
    }
    has_standard_input |= path == "-";
    Outcome<profile::RecordingInput> recording = OpenRecording(path);
    if (!recording) return recording.error();
    recordings.push_back(std::move(recording).value());
  }
  return recordings;
}

Outcome<ConvertReport> ConvertToStream(const ConversionTask& task, const NamedDescriptor& output) {
  const Outcome<InputFacts> facts = InputFacts::Of(task.inputs);
  if (!facts) return facts.error();
  const auto limits = ConversionLimits::For(facts.value().bytes);
  std::vector<int> fds = facts.value().fds;
  ConvertOptions options = task.options;
  std::optional<SourceProcess> sources;
  if (!task.sources.empty()) {
    Outcome<SourceProcess> started = SourceProcess::Start(task.sources);
    if (!started) return started.error();
    sources.emplace(std::move(started).value());
    const int service = kConfinedInput + static_cast<int>(fds.size());
    options.format.find_source = [service](std::string_view class_name,
                                           std::string_view file_name) {
      return AskForSource(service, class_name, file_name);
    };
    fds.push_back(sources->socket());
  }
  Confinement confinement = {.uid = facts.value().uid,
                             .gid = facts.value().gid,
                             .inputs = fds,
                             .output = output.fd,
                             .memory_bytes = limits.memory_bytes,
                             .cpu_seconds = limits.cpu_seconds,
                             .output_bytes = std::max(limits.output_bytes, limits.unpacked_bytes)};
  std::optional<GzipProcess> gzip;
  if (task.format.is_gzip) {
    Outcome<GzipProcess> started = GzipProcess::Start(confinement, output.fd, output.name);
    if (!started) return started.error();
    gzip.emplace(std::move(started).value());
    confinement.output = gzip->input();
  }
  const SharedProgress reached;
  const std::string what = task.inputs.size() == 1
                               ? "'" + task.inputs.front().name + "'"
                               : std::to_string(task.inputs.size()) + " recordings";
  Progress progress("converting " + OneLine(what));
  const Nanos begin_ns = MonotonicNanos();
  const auto passes = static_cast<uint64_t>(profile::PassesOver(task.inputs.size()));
  const auto total = static_cast<int64_t>(facts.value().bytes * passes);
  bool is_interrupted = false;
  confinement.while_working = [&] {
    is_interrupted = task.interrupt != nullptr && task.interrupt->IsRequestedNow();
    if (is_interrupted || MonotonicNanos() - begin_ns < kShortWorkNs) return !is_interrupted;
    progress.Show(reached.bytes(), total, MegabytesText(reached.bytes()) + " read");
    return true;
  };
  confinement.advice = [&] { return AdviceFor(task.slice, reached.reached_ns()); };
  const Result<std::string> answer = RunConfined(confinement, [&] {
    ConversionInputs inputs;
    int fd = kConfinedInput;
    inputs.progress = reached.get();
    for (const profile::RecordingInput& each : task.inputs) {
      Result<profile::RecordingInput> whole =
          WholeRecording({ScopedFd(fd++), each.name}, limits.unpacked_bytes, inputs.missing);
      if (!whole) return AnswerOf(whole.error());
      inputs.recordings.push_back(std::move(whole).value());
    }
    OutputStream out(kConfinedOutput, output.name);
    const Result<ConvertReport> report =
        Convert(inputs, task.slice, *task.format.row, out, options);
    // Closes a duplicate of the output here, to get the errors of the close. When the process ends,
    // the kernel closes the descriptor and reports no errors.
    const Status written = CheckWritten(kConfinedOutput, output.name);
    return AnswerOf(report && !written ? written.error() : report);
  });
  const std::string doing = "converting " + what + ": ";
  if (is_interrupted) return Failure(FailureKind::kFile, doing + "interrupted");
  if (!answer) return Failure(FailureKind::kFile, doing + OneLine(answer.error().message()));
  const std::optional<Result<ConvertReport>> report = ParseAnswer(answer.value());
  if (!report) {
    return Failure(FailureKind::kFile,
                   doing + "its process gave no usable answer: the file may be damaged");
  }
  Status packed;
  if (gzip) packed = *report ? gzip->Finish() : gzip->FailureStatus();
  if (!packed) return Failure(FailureKind::kFile, packed.error());
  if (!*report) return Failure(FailureKind::kFile, report->error());
  return report->value();
}

Outcome<ConvertReport> ConvertToFile(const ConversionTask& task, const std::string& output_path) {
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return Failure(FailureKind::kFile, place.error());
  Result<OutputFile> output = OutputFile::Create(std::move(place).value());
  if (!output) return Failure(FailureKind::kFile, output.error());
  Outcome<ConvertReport> report = ConvertToStream(task, {output.value().fd(), output_path});
  if (!report) return report;
  const Status published = output.value().Publish();
  if (!published) return Failure(FailureKind::kFile, published.error());
  return report;
}

std::optional<ConvertReport> CountSamples(const profile::RecordingInput& recording) {
  constexpr char kNowhere[] = "/dev/null";
  const ScopedFd nowhere(open(kNowhere, O_WRONLY | O_CLOEXEC));
  if (!nowhere.valid()) return std::nullopt;
  const profile::Slice everything;
  const ConversionTask task{{&recording, 1}, everything, {AllFormats().Named("collapsed")}};
  Outcome<ConvertReport> report = ConvertToStream(task, {nowhere.get(), kNowhere});
  if (!report) return std::nullopt;
  return std::move(report).value();
}

Outcome<InMemory> ConvertToMemory(const ConversionTask& task) {
  ScopedFd file(memfd_create("jprof", MFD_CLOEXEC));
  if (!file.valid()) return Failure(FailureKind::kFile, Error::FromErrno("memfd_create", ""));
  Outcome<ConvertReport> report = ConvertToStream(task, {file.get(), "memory"});
  if (!report) return report.error();
  return InMemory{std::move(file), std::move(report).value()};
}

}  // namespace jprof
