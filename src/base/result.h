// Result<T>: a value or an error. All code outside signal handlers reports errors with it; no
// exception crosses a module.
//
// An Error message names the failing call, its argument and the remedy, on one line:
//   return Error::FromErrno("open", path);   ->  cannot open /x/y.jfr: No such file or directory
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sigsafe/base/check.h"

namespace jprof {

// ErrorKind: the kind of an error, by which callers distinguish errors. Generated from
// error_kinds.def.
enum class ErrorKind : uint8_t {
#define JPROF_ERROR_KIND(id, ...) id,
#include "base/error_kinds.def"
};

struct ErrorKindRow {
  ErrorKind kind;
  std::string_view name;
  std::string_view sentence;
};

inline constexpr auto kErrorKinds = std::to_array<ErrorKindRow>({
#define JPROF_ERROR_KIND(id, name, code, failure, sentence) {ErrorKind::id, name, sentence},
#include "base/error_kinds.def"
});

constexpr const ErrorKindRow& RowOf(ErrorKind kind) {
  return kErrorKinds[static_cast<size_t>(kind)];
}

class Error {
 public:
  explicit Error(std::string message, ErrorKind kind = ErrorKind::kOther)
      : message_(std::move(message)), kind_(kind) {}
  // Makes an error with the sentence of the kind. REQUIRES: the kind has a sentence.
  explicit Error(ErrorKind kind) : Error(std::string(RowOf(kind).sentence), kind) {
    JPROF_CHECK(!message_.empty());
  }

  // Returns an error "cannot call argument: strerror(errno)". Thread-safe.
  static Error FromErrno(std::string_view call, std::string_view argument);

  // Returns an error of kUnknownOption about the option.
  static Error UnknownOption(std::string_view option, std::string message);

  // Returns the same error with another sentence, for a caller that knows more.
  Error WithMessage(std::string message) const;

  // Returns the sentence for people. Code that distinguishes errors uses kind().
  const std::string& message() const { return message_; }
  ErrorKind kind() const { return kind_; }
  // Returns the name of the unknown option if kind() is kUnknownOption; otherwise an empty text.
  const std::string& option() const { return option_; }

 private:
  std::string message_;
  ErrorKind kind_;
  std::string option_;
};

// `E` is Error, or another type of error such as Failure (attach/failure.h).
template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  // The constructors are implicit, so that a function can return a value or an error.
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
