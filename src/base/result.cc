#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace jprof {

Error Error::FromErrno(std::string_view call, std::string_view argument) {
  const int code = errno;
  std::string message("cannot ");
  message += call;
  if (!argument.empty()) message += ' ';
  message += argument;
  message += ": ";
  message += std::generic_category().message(code);
  return Error(std::move(message));
}

}  // namespace jprof
