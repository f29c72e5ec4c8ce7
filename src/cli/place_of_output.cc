#include "cli/place_of_output.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "base/output_file.h"
#include "base/output_place.h"
#include "cli/conversion.h"

namespace jprof {
namespace {

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Whether the target writes to `wanted` as we see it: the same folder, which its user may write to,
// and no file of somebody else, which it could not replace in a folder like /tmp.
bool TargetMayWrite(const TargetProcess& target, const std::string& wanted) {
  if (wanted.find(',') != std::string::npos) return false;  // ends a word of the agent's options
  struct stat ours;
  if (stat(FolderOf(wanted).c_str(), &ours) != 0) return false;
  const Outcome<TargetFolder> folder = TargetFolder::Open(target, FolderOf(wanted));
  if (!folder || !folder.value().Is(ours) || !folder.value().IsWritable()) return false;
  struct stat file;
  if (lstat(wanted.c_str(), &file) != 0) return errno == ENOENT;
  return S_ISREG(file.st_mode) && file.st_uid == target.uid();
}

Outcome<void> CheckWeMayWrite(const std::string& wanted) {
  struct stat folder;
  if (stat(FolderOf(wanted).c_str(), &folder) != 0 ||
      access(FolderOf(wanted).c_str(), W_OK | X_OK) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("open", wanted));
  }
  return {};
}

}  // namespace

Outcome<std::string> AbsoluteOutput(const std::string& path) {
  if (path.empty() || path.back() == '/') {
    return Failure(FailureKind::kUsage, "--output '" + path + "' names a folder: add a file name");
  }
  if (path.front() == '/') return path;
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) {
    return Failure(FailureKind::kFile, Error::FromErrno("getcwd", path));
  }
  return std::string(folder) + '/' + path;
}

Outcome<PlaceOfOutput> PlaceOfOutput::Choose(const TargetProcess& target, const TargetFolder& temp,
                                             const std::string& wanted) {
  PlaceOfOutput place(temp, wanted);
  const bool converted = FormatOfPath(wanted).has_value();
  if (!converted && TargetMayWrite(target, wanted)) {
    place.agent_path_ = wanted;
    return place;
  }
  const Outcome<void> writable = CheckWeMayWrite(wanted);
  if (!writable) return writable.error();
  place.staged_ = RandomName(".jprof-") + ".jfr";
  place.agent_path_ = temp.PathOf(*place.staged_);
  return place;
}

PlaceOfOutput::PlaceOfOutput(PlaceOfOutput&& other) noexcept
    : temp_(other.temp_),
      wanted_(std::move(other.wanted_)),
      agent_path_(std::move(other.agent_path_)),
      staged_(std::exchange(other.staged_, std::nullopt)) {}

PlaceOfOutput::~PlaceOfOutput() {
  if (staged_) temp_->Remove(*staged_);
}

bool PlaceOfOutput::Exists() const { return access(wanted_.c_str(), F_OK) == 0; }

// The name is that of SideFile (recording/jfr/side_file.h).
bool PlaceOfOutput::WasCutOff(pid_t pid) const {
  const std::string recording = agent_path_.substr(agent_path_.rfind('/') + 1);
  const std::string name = "." + recording + "." + std::to_string(pid) + ".open";
  if (!staged_) return access((FolderOf(wanted_) + name).c_str(), F_OK) == 0;
  if (!temp_->OpenFile(name)) return false;
  temp_->Remove(name);
  return true;
}

Outcome<void> PlaceOfOutput::Fetch() {
  if (!staged_) return {};
  const Outcome<ScopedFd> from = temp_->OpenFile(*staged_);
  if (!from) {
    return Failure(FailureKind::kDied,
                   "the JVM ended and left no recording: " + from.error().message());
  }
  if (!FormatOfPath(wanted_)) return CopyTo(from.value().get());
  ConvertOptions options;
  options.title = wanted_.substr(wanted_.rfind('/') + 1);
  const Outcome<ConvertReport> report =
      ConvertFile(from.value(), temp_->PathOf(*staged_), wanted_, options);
  if (!report) return report.error();
  if (!report.value().missing.empty()) {
    std::fprintf(stderr, "jprof: %s\n", report.value().missing.c_str());
  }
  return {};
}

// The file at the wanted path is whole or untouched.
Outcome<void> PlaceOfOutput::CopyTo(int from) const {
  constexpr size_t kAtOnce = size_t{64} << 20;
  Result<OutputPlace> place = OutputPlace::ResolveFile(wanted_);
  if (!place) return Failure(FailureKind::kFile, place.error());
  Result<OutputFile> to = OutputFile::Create(std::move(place).value());
  if (!to) return Failure(FailureKind::kFile, to.error());
  ssize_t copied;
  do {
    copied = sendfile(to.value().fd(), from, nullptr, kAtOnce);
  } while (copied > 0 || (copied < 0 && errno == EINTR));
  if (copied < 0) return Failure(FailureKind::kFile, Error::FromErrno("write", wanted_));
  const Status published = to.value().Publish();
  if (!published) return Failure(FailureKind::kFile, published.error());
  return {};
}

}  // namespace jprof
