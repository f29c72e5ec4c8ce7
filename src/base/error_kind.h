// ErrorKind: the fact by which a caller tells an error from others. Generated from the table.
//
// Thread-safe: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jprof {

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

}  // namespace jprof
