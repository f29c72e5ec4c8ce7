#include "chunks/context_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/hex_text.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

constexpr std::array kSampleEventNames = std::to_array<std::string_view>({
#define SAMPLE_EVENT(event, kind, value_field, unit, leaf_field, covers, error_field, companion) \
  event,
#include "sigsafe/base/sample_kinds.def"
});

// True for the events of samples and spans.
bool HasContext(const JfrRow& row) {
  return row.kind == JfrKind::kEvent &&
         (row.type == JfrType::kSpan ||
          std::ranges::find(kSampleEventNames, row.name) != kSampleEventNames.end());
}

uint64_t WordOf(const CallTrace& words, uint32_t word) {
  return word < words.frame_count ? words.frames()[word].id : 0;
}

}  // namespace

bool ContextFields::IsTaken(std::string_view name) {
  bool has_context = false;
  for (const JfrRow& row : kJfrTypeTable) {
    if (row.kind != JfrKind::kField) {
      has_context = HasContext(row);
    } else if (has_context && row.name == name) {
      return true;
    }
  }
  return name == EventDeclarations::kAppendedHead || name == "spanId" ||
         name == "localRootSpanId" || name == "traceId";
}

void ContextFields::DeclareIn(EventDeclarations& declarations) const {
  if (!plan_) return;
  for (const JfrRow& row : kJfrTypeTable) {
    if (!HasContext(row) || !declarations.Has(row.type)) continue;
    declarations.AppendField(row.type, {"spanId", JfrType::kLong, JfrMeaning::kNone, "Span Id"});
    declarations.AppendField(
        row.type, {"localRootSpanId", JfrType::kLong, JfrMeaning::kNone, "Local Root Span Id"});
    declarations.AppendField(row.type,
                             {"traceId", JfrType::kString, JfrMeaning::kNone, "Trace Id"});
    for (const ContextPlan::Tag& tag : plan_->tags) {
      declarations.AppendField(row.type, {tag.name, JfrType::kString, JfrMeaning::kNone, tag.name});
    }
  }
}

std::span<const TrailingValue> ContextFields::ValuesOf(CallTraceId trace, uint32_t context) {
  values_.clear();
  if (!plan_ || context == 0) return values_;
  const CallTrace* const words = traces_.Find(ContextIdOf(trace, context));
  if (words == nullptr) return values_;
  values_.emplace_back(static_cast<int64_t>(WordOf(*words, kSpanIdWord)));
  values_.emplace_back(static_cast<int64_t>(WordOf(*words, kLocalRootWord)));
  trace_id_.clear();
  const uint64_t high = WordOf(*words, kTraceHighWord);
  const uint64_t low = WordOf(*words, kTraceLowWord);
  if ((high | low) != 0) {
    AppendHex(high, trace_id_);
    AppendHex(low, trace_id_);
  }
  values_.emplace_back(trace_id_.empty() ? std::string_view() : std::string_view(trace_id_));
  SetTags(*words);
  return values_;
}

// Sets the value of each tag. If the context has several values for a key, the last one counts.
void ContextFields::SetTags(const CallTrace& words) {
  const size_t first = values_.size();
  for (size_t i = 0; i < plan_->tags.size(); ++i) values_.emplace_back(std::string_view());
  const auto size = static_cast<size_t>(words.frames()[kSpanIdWord].bci);
  tags_.clear();
  for (uint32_t word = kFirstTagWord; word < words.frame_count; ++word) {
    tags_.append(reinterpret_cast<const char*>(&words.frames()[word].id), sizeof(uint64_t));
  }
  tags_.resize(std::min(size, tags_.size()));
  for (size_t at = 0; at + 2 <= tags_.size();) {
    const auto key = static_cast<uint8_t>(tags_[at]);
    const size_t length = static_cast<uint8_t>(tags_[at + 1]);
    at += 2;
    if (length > tags_.size() - at) return;
    for (size_t i = 0; i < plan_->tags.size(); ++i) {
      if (plan_->tags[i].key != key) continue;
      values_[first + i] = std::string_view(tags_).substr(at, length);
    }
    at += length;
  }
}

}  // namespace jprof
