// PathWalk: resolves a path to an OutputPlace, by the rules in output_place.h.
//
// An object is used once, by one thread.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class PathWalk {
 public:
  explicit PathWalk(const std::string& path) : path_(path) {}

  Result<OutputPlace> Run();

 private:
  enum class Step { kContinue, kArrived };

  Status EnterStart(const std::string& path);
  void Push(const std::string& path);
  Result<Step> Take(const std::string& name);
  Status FollowLink(const std::string& name, int link, const struct stat& info);
  Status CheckLast(const struct stat& info) const;
  Error NotThere(const std::string& name) const;
  std::string Here(const std::string& name) const { return at_ + name; }

  const std::string& path_;
  std::vector<std::string> rest_;  // the remaining names; the next one is at the end
  ScopedFd folder_;
  struct stat folder_info_ {};
  std::string at_;         // the folder's path, ending with a slash, or empty
  std::string last_link_;  // the link in place of the file; empty: none
  OutputPlace::Kind kind_ = OutputPlace::Kind::kFile;
  int links_ = 0;
};

}  // namespace jprof
