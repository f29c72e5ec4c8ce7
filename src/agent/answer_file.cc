#include "agent/answer_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/agent_contract.h"
#include "base/scoped_fd.h"
#include "options/option_table.h"
#include "options/parsed_arguments.h"

namespace jprof {

Status WriteAnswerFile(const std::string& path, const Result<AgentAnswer>& answer) {
  const ScopedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return WriteAll(fd.get(), EncodeAnswer(answer), path);
}

std::optional<std::string> FindAnswerFile(std::string_view options) {
  for (OptionTokenizer tokenizer(options); !tokenizer.AtEnd();) {
    const Result<OptionToken> word = tokenizer.Next();
    if (!word) return std::nullopt;
    if (word.value().name == RowOf(OptionId::kAnswer).name) return word.value().value;
  }
  return std::nullopt;
}

AnswerCaller AnswerCaller::Of(const std::optional<std::string>& answer) {
  if (!answer) return {false, std::nullopt};
  const size_t name_at = answer->rfind('/') + 1;
  const std::string_view name = std::string_view{*answer}.substr(name_at);
  if (!name.starts_with(kAwaitedPrefix)) return {false, std::nullopt};
  std::string path = answer->substr(0, name_at);
  path.append(kLeasePrefix).append(name.substr(kAwaitedPrefix.size()));
  Result<CallerLease> lease = CallerLease::Open(path);
  if (lease) return {false, std::move(lease).value()};
  // Only ENOENT shows that the caller has gone; other errors, such as too many open files, do not.
  return {access(path.c_str(), F_OK) != 0 && errno == ENOENT, std::nullopt};
}

}  // namespace jprof
