#include "cli/launch/launch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "attach/target_folder.h"
#include "base/agent_contract.h"
#include "base/output_claim.h"
#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr char kLeaseName[] = "lease";
constexpr long kPollStep = 20'000'000;

std::string SideFileOf(const LaunchedRecording& recording) {
  return SideFileName(recording.name, recording.pid);
}

}  // namespace

std::string SideFileName(const std::string& recording, pid_t pid) {
  return "." + recording + "." + std::to_string(pid) + ".open";
}

SideFileState StateOfSideFile(int folder, const std::string& name) {
  const ScopedFd fd(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return SideFileState::kNone;
  return flock(fd.get(), LOCK_SH | LOCK_NB) == 0 ? SideFileState::kLeftOver
                                                 : SideFileState::kLocked;
}

Outcome<LaunchFolder> LaunchFolder::Create(const std::string& beside) {
  Result<OutputPlace> parent = OutputPlace::ResolveFile(beside);
  if (!parent) return Failure(FailureKind::kFile, parent.error());
  std::string name = RandomName("jprof-record-");
  std::string path = beside.substr(0, beside.rfind('/') + 1) + name;
  if (mkdirat(parent.value().folder(), name.c_str(), 0700) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("create the folder", path));
  }
  ScopedFd fd(openat(parent.value().folder(), name.c_str(),
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return Failure(FailureKind::kFile, Error::FromErrno("open", path));
  LaunchFolder folder(std::move(parent).value(), std::move(name), std::move(path), std::move(fd));
  if (folder.TakeLease()) return folder;
  return Failure(FailureKind::kFile, Error::FromErrno("lock", folder.LeasePath()));
}

bool LaunchFolder::TakeLease() {
  lease_ = ScopedFd(openat(fd_.get(), kLeaseName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return lease_.valid() && flock(lease_.get(), LOCK_EX | LOCK_NB) == 0;
}

LaunchFolder::LaunchFolder(LaunchFolder&&) noexcept = default;

LaunchFolder::~LaunchFolder() {
  if (!fd_.valid()) return;
  unlinkat(fd_.get(), kLeaseName, 0);
  unlinkat(parent_.folder(), name_.c_str(), AT_REMOVEDIR);
}

std::string LaunchFolder::LeasePath() const { return PathOf(kLeaseName); }

void LaunchFolder::EndRecordings(const Deadline& deadline) {
  lease_.Reset();
  const auto is_recording = [](const LaunchedRecording& each) { return each.is_recording; };
  while (!deadline.HasPassed() && std::ranges::any_of(List(), is_recording)) {
    Deadline::Pause(kPollStep);
  }
}

std::vector<LaunchedRecording> LaunchFolder::List() const {
  std::vector<LaunchedRecording> recordings;
  const int fd = openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder == nullptr) return recordings;
  while (const dirent* entry = readdir(folder)) {
    LaunchedRecording recording;
    recording.name = entry->d_name;
    const char* const end = recording.name.data() + recording.name.size();
    const auto [rest, status] = std::from_chars(recording.name.data(), end, recording.pid);
    struct stat file;
    if (status != std::errc() || !recording.name.ends_with(".jfr") ||
        fstatat(fd_.get(), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(file.st_mode)) {
      continue;
    }
    recording.bytes = static_cast<uint64_t>(file.st_size);
    const SideFileState side = StateOfSideFile(fd_.get(), SideFileOf(recording));
    recording.is_recording = side == SideFileState::kLocked;
    recording.was_cut_off = side == SideFileState::kLeftOver;
    recordings.push_back(std::move(recording));
  }
  closedir(folder);
  std::ranges::sort(recordings, {}, &LaunchedRecording::name);
  return recordings;
}

Outcome<ScopedFd> LaunchFolder::Open(const std::string& name) const {
  ScopedFd fd(openat(fd_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return Failure(FailureKind::kFile, Error::FromErrno("open", PathOf(name)));
  return fd;
}

Status LaunchFolder::MoveTo(const std::string& name, const std::string& path) const {
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  if (renameat(fd_.get(), name.c_str(), place.value().folder(), place.value().name().c_str()) !=
      0) {
    return Error::FromErrno("rename " + PathOf(name) + " to", path);
  }
  return {};
}

void LaunchFolder::Remove(const LaunchedRecording& recording) const {
  unlinkat(fd_.get(), recording.name.c_str(), 0);
  unlinkat(fd_.get(), SideFileOf(recording).c_str(), 0);
  unlinkat(fd_.get(), LockNameOf(recording.name).c_str(), 0);
  unlinkat(fd_.get(), (recording.name + std::string(kAgctNoteSuffix)).c_str(), 0);
}

}  // namespace jprof
