#include "agent/answer_caller.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/agent_contract.h"

namespace jprof {

AnswerCaller AnswerCaller::Of(const std::optional<std::string>& answer) {
  if (!answer) return {false, std::nullopt};
  const size_t name_at = answer->rfind('/') + 1;
  const std::string_view name = std::string_view{*answer}.substr(name_at);
  if (!name.starts_with(kAwaitedPrefix)) return {false, std::nullopt};
  std::string path = answer->substr(0, name_at);
  path.append(kLeasePrefix).append(name.substr(kAwaitedPrefix.size()));
  Result<CallerLease> lease = CallerLease::Open(path);
  if (lease) return {false, std::move(lease).value()};
  // Another error, such as too many open files, does not show that the caller has gone.
  return {access(path.c_str(), F_OK) != 0 && errno == ENOENT, std::nullopt};
}

}  // namespace jprof
