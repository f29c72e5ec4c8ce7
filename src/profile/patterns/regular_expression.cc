#include "profile/patterns/regular_expression.h"

#include <re2/re2.h>

#include <memory>
#include <string>

namespace jprof::profile {
namespace {

// What a pattern may become: names are long, and RE2 takes no more time for a larger program.
constexpr int64_t kMostMemory = 32 << 20;

re2::RE2::Options Options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

class RegularExpression : public FramePattern {
 public:
  explicit RegularExpression(const std::string& text) : pattern_(text, Options()) {}

  const re2::RE2& pattern() const { return pattern_; }
  bool OccursIn(const std::string& frame) const override {
    return re2::RE2::PartialMatch(frame, pattern_);
  }

 private:
  re2::RE2 pattern_;
};

Result<std::unique_ptr<FramePattern>> ParseRegularExpression(const std::string& text) {
  auto parsed = std::make_unique<RegularExpression>(text);
  const re2::RE2& pattern = parsed->pattern();
  if (!pattern.ok()) return Error("is not a regular expression: " + pattern.error());
  return std::unique_ptr<FramePattern>(std::move(parsed));
}

}  // namespace

Result<Slice> ParseSlice(const SliceOptions& options) {
  return Slice::Parse(options, ParseRegularExpression);
}

}  // namespace jprof::profile
