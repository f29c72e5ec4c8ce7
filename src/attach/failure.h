// Failure: an error and its kind, which determines jprof's exit code.
//
// Thread-safe: no state.
#pragma once

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace jprof {

enum class FailureKind {
#define JPROF_FAILURE(id, ...) id,
#include "attach/failure.def"
};

struct FailureRow {
  FailureKind kind;
  int exit_code;
  std::string_view meaning;
};

inline constexpr auto kFailures = std::to_array<FailureRow>({
#define JPROF_FAILURE(id, exit_code, meaning) {FailureKind::id, exit_code, meaning},
#include "attach/failure.def"
});

constexpr int ExitCodeOf(FailureKind kind) {
  return kFailures[static_cast<size_t>(kind)].exit_code;
}

class Failure {
 public:
  Failure(FailureKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  Failure(FailureKind kind, const Error& error)
      : kind_(kind), message_(error.message()), error_kind_(error.kind()) {}

  // Returns the failure of a system call on a file of the target. The kind of the failure is
  // kPermission if errno is EACCES or EPERM, otherwise `kind`.
  static Failure FromErrno(FailureKind kind, std::string_view call, std::string_view argument) {
    const bool forbidden = errno == EACCES || errno == EPERM;
    return {forbidden ? FailureKind::kPermission : kind, Error::FromErrno(call, argument)};
  }

  FailureKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  // Returns the kind of the Error that caused the failure; kOther if no Error caused it.
  ErrorKind error_kind() const { return error_kind_; }

 private:
  FailureKind kind_;
  std::string message_;
  ErrorKind error_kind_ = ErrorKind::kOther;
};

template <typename T>
using Outcome = Result<T, Failure>;

}  // namespace jprof
