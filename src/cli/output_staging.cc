#include "cli/output_staging.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string_view>
#include <utility>

#include "attach/scoped_credentials.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "cli/convert/conversion.h"
#include "cli/convert/result_path.h"
#include "cli/launch/launch_folder.h"
#include "cli/words/print.h"
#include "formats/page/page_writer.h"
#include "options/file_pattern.h"
#include "options/option_table.h"

namespace jprof {
namespace {

constexpr size_t kCopyAtOnce = size_t{1} << 20;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// True if the target can write to our path `wanted`. This requires three things: the target sees
// the same folder at this path, the target's user may write to the folder, and no file of another
// user is at `wanted`. (In a folder like /tmp, the target could not replace such a file.)
bool TargetMayWrite(const TargetProcess& target, const std::string& wanted) {
  struct stat ours;
  if (stat(FolderOf(wanted).c_str(), &ours) != 0) return false;
  const Outcome<TargetFolder> folder = TargetFolder::Open(target, FolderOf(wanted));
  if (!folder || !folder.value().Is(ours) || !folder.value().IsWritable()) return false;
  struct stat file;
  if (lstat(wanted.c_str(), &file) != 0) return errno == ENOENT;
  return S_ISREG(file.st_mode) && file.st_uid == target.uid();
}

Status TryAs(const TargetProcess& target, const std::string& wanted) {
  const Outcome<ScopedCredentials> as_target =
      ScopedCredentials::Assume(target.uid(), target.gid());
  if (!as_target) return Error(as_target.error().message());
  return OutputFile::Try(wanted);
}

// Returns the path by which we reach the file `path` of the target's /tmp.
std::string SeenFromHere(const TargetProcess& target, const TargetFolder& temp,
                         const std::string& path) {
  struct stat ours;
  const bool same = stat(temp.path().c_str(), &ours) == 0 && temp.Is(ours);
  return same ? path : target.ProcPath("root") + path;
}

// Returns the default name that the agent gives to a recording.
std::string DefaultName(pid_t pid) {
  FilePatternContext context = FilePatternContext::OfThisProcess();
  context.pid = pid;
  return ExpandFilePattern(RowOf(OptionId::kFile).default_text, context).value();
}

// True if `path` is `wanted` with the suffix of an OutputClaim: "-4711" or "-4711-2". `path` is
// checked because it comes from the JVM, which another user can control.
bool IsClaimedFor(const std::string& wanted, const std::string& path) {
  if (path.size() <= wanted.size()) return false;
  const auto at = static_cast<size_t>(std::ranges::mismatch(wanted, path).in1 - wanted.begin());
  const std::string suffix = path.substr(at, path.size() - wanted.size());
  return suffix.starts_with('-') && suffix.find_first_not_of("-0123456789") == std::string::npos &&
         path == WithSuffix(wanted, suffix);
}

}  // namespace

Outcome<OutputStaging> OutputStaging::Choose(const TargetProcess& target, const TargetFolder& temp,
                                             const std::string& wanted) {
  OutputStaging staging(temp, wanted);
  const Result<OutputPlace> resolved = OutputPlace::Resolve(wanted);
  if (!resolved) return Failure(FailureKind::kFile, resolved.error());
  const bool may_write = TargetMayWrite(target, wanted);
  if (resolved.value().kind() == OutputPlace::Kind::kStream) {
    const Outcome<void> opened = staging.OpenStream(resolved.value());
    if (!opened) return opened.error();
  } else if (!IsRecordingPath(wanted) && !staging.format_) {
    return NoKnownFormat(wanted);
  } else {
    const bool direct = IsRecordingPath(wanted) && may_write;
    const Status writable = direct ? TryAs(target, wanted) : OutputFile::Try(wanted);
    if (!writable) return Failure(FailureKind::kFile, writable.error());
    if (direct) {
      staging.agent_path_ = wanted;
      return staging;
    }
    Result<OutputClaim> claim = OutputClaim::Take(wanted, target.pid());
    if (!claim) return Failure(FailureKind::kFile, claim.error());
    staging.claim_ = std::move(claim).value();
    staging.wanted_ = staging.claim_->path();
    const bool agent_knows = IsRecordingPath(wanted) || AgentFormats().OfPath(wanted) != nullptr;
    if (may_write && agent_knows) staging.fallback_path_ = staging.wanted_;
  }
  staging.staged_ = RandomName(".jprof-") + ".jfr";
  staging.agent_path_ = temp.PathOf(*staging.staged_);
  staging.our_path_ = SeenFromHere(target, temp, staging.agent_path_);
  if (staging.fallback_path_.empty()) {
    staging.fallback_path_ = temp.PathOf(DefaultName(target.namespace_pid()));
  }
  return staging;
}

// Opens the stream, which can wait for a reader. Called before the recording starts, so that an
// interrupt during the wait leaves nothing to clean up.
Outcome<void> OutputStaging::OpenStream(const OutputPlace& place) {
  Result<ScopedFd> stream = place.OpenStream(OutputPlace::Unread::kWait);
  if (!stream) return Failure(FailureKind::kFile, stream.error());
  const bool is_readable =
      format_ && format_->row->content == FormatContent::kLines && !format_->is_gzip;
  if (isatty(stream.value().get()) == 1 && !is_readable) {
    return Failure(FailureKind::kUsage,
                   "'" + wanted_ +
                       "' is a terminal, where a recording cannot be read: name a file "
                       "or redirect it");
  }
  std::signal(SIGPIPE, SIG_IGN);  // if the reader has closed the stream, a write fails instead
  stream_ = std::move(stream).value();
  return {};
}

OutputStaging::OutputStaging(OutputStaging&& other) noexcept
    : temp_(other.temp_),
      wanted_(std::move(other.wanted_)),
      format_(other.format_),
      agent_path_(std::move(other.agent_path_)),
      fallback_path_(std::move(other.fallback_path_)),
      our_path_(std::move(other.our_path_)),
      staged_(std::exchange(other.staged_, std::nullopt)),
      claim_(std::move(other.claim_)),
      stream_(std::move(other.stream_)) {}

OutputStaging::~OutputStaging() {
  if (staged_) temp_->Remove(*staged_);
}

std::string OutputStaging::Notice() const { return claim_ ? claim_->notice() : std::string(); }

void OutputStaging::Follow(const std::string& path) {
  if (!IsDirect() || !IsClaimedFor(wanted_, path)) return;
  wanted_ = path;
  agent_path_ = path;
}

std::string OutputStaging::Release() {
  return std::exchange(staged_, std::nullopt) ? our_path_ : std::string();
}

bool OutputStaging::IsStandardOutput() const {
  struct stat ours, standard;
  return IsStream() && fstat(stream_.get(), &ours) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
         ours.st_dev == standard.st_dev && ours.st_ino == standard.st_ino;
}

bool OutputStaging::Exists() const { return access(wanted_.c_str(), F_OK) == 0; }

bool OutputStaging::ClearAfterExit(pid_t pid) const {
  const std::string recording = agent_path_.substr(agent_path_.rfind('/') + 1);
  const std::string name = SideFileName(recording, pid);
  if (!staged_) {
    const Result<OutputPlace> place = OutputPlace::ResolveFile(wanted_);
    if (!place) return false;
    RemoveStaleLock(place.value());
    const SideFileState state = StateOfSideFile(place.value().folder(), name);
    // If the side file is locked, it belongs to another JVM with the same pid, which has started to
    // record to the same path.
    if (state == SideFileState::kLeftOver) {
      static_cast<void>(RemoveOutput(FolderOf(wanted_) + name));
    }
    return state != SideFileState::kNone;
  }
  if (!temp_->OpenFile(name)) return false;
  temp_->Remove(name);
  temp_->Remove(LockNameOf(recording));
  return true;
}

std::optional<uint64_t> OutputStaging::Samples() const {
  std::optional<ConvertReport> report;
  if (staged_) {
    Outcome<ScopedFd> recording = temp_->OpenFile(*staged_);
    if (recording) report = CountSamples({std::move(recording).value(), our_path_});
  } else if (const Result<OutputPlace> place = OutputPlace::ResolveFile(wanted_)) {
    Result<ScopedFd> recording = place.value().OpenFile(O_RDONLY);
    if (recording) report = CountSamples({std::move(recording).value(), wanted_});
  }
  if (!report) return std::nullopt;
  return report->samples;
}

Outcome<void> OutputStaging::Fetch() {
  if (!staged_) return {};
  Outcome<ScopedFd> from = temp_->OpenFile(*staged_);
  if (!from) {
    return Failure(FailureKind::kExited,
                   "the JVM ended and left no recording: " + from.error().message());
  }
  const Outcome<void> delivered = CopyToWanted({std::move(from).value(), our_path_});
  if (delivered) return {};
  Release();
  return Failure(delivered.error().kind(),
                 delivered.error().message() + "; the recording is kept in " + our_path_);
}

Outcome<void> OutputStaging::CopyToWanted(const profile::RecordingInput& from) const {
  const int fd = from.fd.get();
  if (!format_) return IsStream() ? CopyTo(fd, stream_.get()) : CopyToFile(fd);
  const profile::Slice whole;
  ConversionTask task{{&from, 1}, whole, *format_};
  task.options.title = wanted_.substr(wanted_.rfind('/') + 1);
  const Outcome<ConvertReport> report =
      IsStream() ? ConvertToStream(task, {stream_.get(), wanted_}) : ConvertToFile(task, wanted_);
  if (!report) return report.error();
  if (!report.value().missing.empty()) PrintNote(report.value().missing);
  const std::string choice = ChoiceText(wanted_, *format_->row, report.value());
  if (!choice.empty()) PrintNote("note: " + choice + ": the event that was named first");
  return {};
}

// Copies the recording to the wanted path. On failure, an existing file there is unchanged.
Outcome<void> OutputStaging::CopyToFile(int from) const {
  Result<OutputPlace> place = OutputPlace::ResolveFile(wanted_);
  if (!place) return Failure(FailureKind::kFile, place.error());
  Result<OutputFile> to = OutputFile::Create(std::move(place).value());
  if (!to) return Failure(FailureKind::kFile, to.error());
  const Outcome<void> copied = CopyTo(from, to.value().fd());
  if (!copied) return copied;
  const Status published = to.value().Publish();
  if (!published) return Failure(FailureKind::kFile, published.error());
  return {};
}

// Copies all bytes with read and write: some devices and append-only descriptors do not support
// sendfile.
Outcome<void> OutputStaging::CopyTo(int from, int to) const {
  std::string buffer(kCopyAtOnce, '\0');
  for (;;) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failure(FailureKind::kFile, Error::FromErrno("read", our_path_));
    if (got == 0) return {};
    const Status written =
        WriteAll(to, std::string_view{buffer}.substr(0, static_cast<size_t>(got)), wanted_);
    if (!written) return Failure(FailureKind::kFile, written.error());
  }
}

}  // namespace jprof
