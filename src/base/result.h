// Result<T>: a value or an error message. The error channel of all code outside signal handlers; no
// exception crosses a module.
//
// An Error message names the failing call, its argument and the remedy, on one line:
//   return Error::FromErrno("open", path);   ->  cannot open /x/y.jfr: No such file or directory
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sigsafe/base/check.h"

namespace jprof {

class Error {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}

  // "call(argument): strerror(errno)". Thread-safe.
  static Error FromErrno(std::string_view call, std::string_view argument);

  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

// `E` is Error except where callers distinguish kinds of failure (attach/failure.h).
template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function may return a value or an error.
  Result(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & {
    JPROF_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    JPROF_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    JPROF_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }

  // REQUIRES: !ok().
  const E& error() const {
    JPROF_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, E> state_;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: !ok().
  const E& error() const {
    JPROF_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<E> error_;
};

using Status = Result<void>;

}  // namespace jprof
