#include "answers/amounts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/scaled_text.h"
#include "sigsafe/base/sample_kinds.h"

namespace jprof {
namespace {

constexpr std::string_view kSamples = "samples";
constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kNanos = "ns";
constexpr std::string_view kCount = "count";

std::string_view NameOf(WeightUnit unit) {
  switch (unit) {
    case WeightUnit::kBytes:
      return kBytes;
    case WeightUnit::kDuration:
      return kNanos;
    case WeightUnit::kCount:
      return kCount;
    default:
      return kSamples;
  }
}

struct Amount {
  std::string_view reason;  // the reason of the loss; empty if the amount is no loss
  std::string_view kind;
  std::string_view unit;
  uint64_t amount = 0;
};

// Removes the last name from the path and returns it.
std::string_view CutName(std::string_view& path) {
  const size_t dot = path.rfind('.');
  const std::string_view name = path.substr(dot == std::string_view::npos ? 0 : dot + 1);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  return name;
}

// Returns the amounts whose keys start with the name `what`.
std::vector<Amount> AmountsOf(const AgentFacts& facts, std::string_view what) {
  std::vector<Amount> amounts;
  for (const AgentFact& fact : facts.all()) {
    std::string_view path = fact.key;
    if (!path.starts_with(what) || !path.substr(what.size()).starts_with('.')) continue;
    Amount amount;
    amount.unit = CutName(path);
    amount.kind = CutName(path);
    if (path.size() > what.size()) amount.reason = path.substr(what.size() + 1);
    amount.amount = NumberOf(fact);
    amounts.push_back(amount);
  }
  return amounts;
}

std::string AmountText(const Amount& amount) {
  const std::string kind(amount.kind);
  const std::string number = std::to_string(amount.amount);
  if (amount.unit == kBytes) return number + " bytes of " + kind + " as sampled";
  if (amount.unit == kCount) return number + ' ' + kind;
  if (amount.unit != kNanos) return number + ' ' + std::string(amount.unit) + " of " + kind;
  return RoundedDurationText(TimeOf(amount.amount)) + " of " + kind;
}

// A part of a list: the name of the kind or reason, and its count.
using Part = std::pair<std::string_view, uint64_t>;

void AddTo(std::vector<Part>& parts, std::string_view what, uint64_t count) {
  const auto known = std::ranges::find(parts, what, &Part::first);
  if (known == parts.end()) {
    parts.emplace_back(what, count);
  } else {
    known->second += count;
  }
}

// Returns, for example, "1234 samples (1000 cpu, 234 wall)"; leaves out parts that are 0.
std::string WithParts(uint64_t total, std::string_view counted, const std::vector<Part>& parts) {
  std::string list;
  for (const auto& [what, count] : parts) {
    if (count == 0) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(count) + ' ';
    list += what;
  }
  const std::string text = std::to_string(total) + ' ' + std::string(counted);
  return list.empty() ? text : text + " (" + list + ')';
}

// Returns the text of the amounts in other units than samples, summed over all reasons: ", 50 ns of
// lock".
std::string OthersText(const std::vector<Amount>& amounts) {
  std::vector<Amount> sums;
  for (const Amount& each : amounts) {
    if (each.unit == kSamples) continue;
    const auto same = std::ranges::find_if(sums, [&each](const Amount& sum) {
      return sum.kind == each.kind && sum.unit == each.unit;
    });
    if (same == sums.end()) {
      sums.push_back(each);
    } else {
      same->amount += each.amount;
    }
  }
  std::string text;
  for (const Amount& sum : sums) text += ", " + AmountText(sum);
  return text;
}

// Returns the text of the amounts whose keys start with `what`. `total` is the total to show in the
// text; nullopt: the sum of the parts.
std::string AmountsText(const AgentFacts& facts, std::string_view what, std::string_view counted,
                        std::optional<uint64_t> total) {
  const std::vector<Amount> amounts = AmountsOf(facts, what);
  std::vector<Part> parts;
  uint64_t sum = 0;
  for (const Amount& each : amounts) {
    if (each.unit != kSamples) continue;
    AddTo(parts, each.kind, each.amount);
    sum += each.amount;
  }
  return WithParts(total.value_or(sum), counted, parts) + OthersText(amounts);
}

}  // namespace

std::string AmountKey(std::string_view what, const SampleKindRow& kind) {
  std::string key(what);
  return key.append(".").append(kind.name).append(".").append(NameOf(kind.unit));
}

std::string RecordedText(const AgentFacts& facts) {
  return AmountsText(facts, "recorded", "samples", facts.Number("samples"));
}

std::string LostText(const AgentFacts& facts) {
  const std::vector<Amount> amounts = AmountsOf(facts, "lost");
  std::vector<Part> parts;
  for (const char* const reason : kLostReasonText) parts.emplace_back(reason, 0);
  for (const Amount& each : amounts) {
    if (each.unit == kSamples) AddTo(parts, each.reason, each.amount);
  }
  return WithParts(facts.Number("lostSamples"), "lost", parts) + OthersText(amounts);
}

std::string WindowsText(const AgentFacts& facts) {
  if (!facts.Has("windows")) return "";
  const uint64_t windows = facts.Number("windows");
  return std::to_string(windows) + (windows == 1 ? " window" : " windows") + " of " +
         RoundedDurationText(facts.Time("windowsNs")) + ", " +
         AmountsText(facts, "outsideOfWindows", "outside", std::nullopt);
}

std::string WithoutRootText(const AgentFacts& facts) {
  const uint64_t samples = facts.Number("samplesWithoutRoot");
  if (samples == 0) return "";
  return std::to_string(samples) + (samples == 1 ? " sample" : " samples") +
         " without the root of the stack, which was too deep to walk for each";
}

}  // namespace jprof
