// MethodPattern: a pattern of methods, as in trace=.
//
//   trace=com.acme.Shop.order:50ms+com.acme.*.save(Ljava/lang/String;)V+com.acme.Cart.<init>
//
// A pattern has a class with its package, a method, and optionally the method's descriptor. If a
// colon and a time follow, each call that takes at least this time becomes an event of its own. If
// `:count` follows, calls are counted and not timed. In the class and in the method, * stands for
// any text. Patterns are joined by +.
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

  std::string text;        // the pattern as it was written
  std::string class_name;  // class in internal form: com/acme/Shop
  std::string method;
  std::optional<std::string> descriptor;  // nullopt: any descriptor
  Nanos slow_from_ns = kNever;  // shortest time of a call that becomes an event of its own
  bool is_counted = false;      // true if calls are only counted
  uint8_t window_edge = 0;      // effect of a call: kBeginsWindow, kEndsWindow or 0

  // True if the pattern matches the class. `name`: in the internal form.
  bool MatchesClass(std::string_view name) const;
  // True if the pattern matches the method. REQUIRES: the pattern matches the method's class.
  bool MatchesMethod(std::string_view name, std::string_view method_descriptor) const;
};

// Parses one or more patterns that are joined by +. The error is a phrase that the caller appends
// to the text.
Result<std::vector<MethodPattern>> ParseMethodPatterns(std::string_view text);

// Returns the patterns as they were written, joined by +.
std::string TextOf(const std::vector<MethodPattern>& patterns);

}  // namespace jprof
