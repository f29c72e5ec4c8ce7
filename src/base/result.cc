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

Error Error::UnknownOption(std::string_view option, std::string message) {
  Error error(std::move(message), ErrorKind::kUnknownOption);
  error.option_ = option;
  return error;
}

Error Error::WithMessage(std::string message) const {
  Error error = *this;
  error.message_ = std::move(message);
  return error;
}

}  // namespace jprof
