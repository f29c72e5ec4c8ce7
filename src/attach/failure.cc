#include "attach/failure.h"

#include <cerrno>

namespace jprof {

Failure Failure::FromErrno(FailureKind kind, std::string_view call, std::string_view argument) {
  const bool forbidden = errno == EACCES || errno == EPERM;
  return {forbidden ? FailureKind::kPermission : kind, Error::FromErrno(call, argument)};
}

}  // namespace jprof
