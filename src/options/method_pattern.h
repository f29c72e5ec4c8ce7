// MethodPattern: methods as trace= names them.
//
//   trace=com.acme.Shop.order:50ms+com.acme.*.save(Ljava/lang/String;)V+com.acme.Cart.<init>
//
// A class with its package, a method, where wanted its descriptor, and the time from which on a
// call is recorded by itself, or `count`: calls are counted and not timed. * stands for any text,
// in class and method. Several are joined by +.
//
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

struct MethodPattern {
  static constexpr uint8_t kBeginsWindow = 1;
  static constexpr uint8_t kEndsWindow = 2;
  static constexpr Nanos kNever = std::numeric_limits<int64_t>::max();

  std::string text;        // as it was written
  std::string class_name;  // internal form: com/acme/Shop
  std::string method;
  std::optional<std::string> descriptor;  // not engaged: of any
  Nanos slow_from_ns = kNever;            // calls that take as long, or longer, are recorded
  bool is_counted = false;                // its calls are counted alone
  uint8_t window_edge = 0;                // kBeginsWindow, kEndsWindow: calls do that

  // In the internal form.
  bool MatchesClass(std::string_view name) const;
  // Of a class that matches.
  bool MatchesMethod(std::string_view name, std::string_view method_descriptor) const;
};

// At least one. The error is a phrase that the caller appends to the text.
Result<std::vector<MethodPattern>> ParseMethodPatterns(std::string_view text);

}  // namespace jprof
