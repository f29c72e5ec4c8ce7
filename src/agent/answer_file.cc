#include "agent/answer_file.h"

#include <fcntl.h>

#include "base/scoped_fd.h"
#include "base/write_all.h"

namespace jprof {
Status WriteAnswerFile(const std::string& path, int code, const std::string& text) {
  const ScopedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return WriteAll(fd.get(), std::to_string(code) + '\n' + text, path);
}

std::optional<std::string> FindAnswerFile(std::string_view options) {
  constexpr std::string_view kName = "answer=";
  while (!options.empty()) {
    const size_t end = options.find(',');
    const std::string_view word = options.substr(0, end);
    if (word.starts_with(kName)) return std::string(word.substr(kName.size()));
    options.remove_prefix(end == std::string_view::npos ? options.size() : end + 1);
  }
  return std::nullopt;
}

}  // namespace jprof
