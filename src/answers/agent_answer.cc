#include "answers/agent_answer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/agent_contract.h"
#include "base/printable_text.h"
#include "base/version.h"

namespace jprof {
namespace {

using Reason = UndecodedAnswer::Reason;

constexpr std::string_view kHead = "jprof-answer=";
constexpr uint32_t kLayout = 2;
constexpr std::string_view kNumber = "number.";
constexpr std::string_view kText = "text.";

// The names of the kinds, indexed by AnswerKind.
constexpr auto kAnswerNames = std::to_array<std::string_view>({
#define JPROF_ANSWER(id, name, text) name,
#include "answers/answers.def"
});

void AppendLine(std::string& bytes, std::string_view key, std::string_view value) {
  bytes.append(key) += '=';
  for (const char c : value) {
    if (c == '\n') {
      bytes += "\\n";
    } else if (c == '\\') {
      bytes += "\\\\";
    } else {
      bytes += c;
    }
  }
  bytes += '\n';
}

std::string Unescaped(std::string_view value) {
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      text += value[i];
    } else {
      text += value[++i] == 'n' ? '\n' : value[i];
    }
  }
  return text;
}

std::string OneLine(std::string_view value) {
  return PrintableText(Unescaped(value), Layout::kEscape);
}

// The content of an answer, collected while the answer is read line by line.
struct Parts {
  uint32_t contract = 0;
  std::string version;
  std::optional<std::string> kind;
  std::optional<std::string> failure;
  std::string reason;
  std::string option;
  AgentAnswer answer;
};

void TakeNumber(std::string_view value, uint32_t& number) {
  std::from_chars(value.data(), value.data() + value.size(), number);
}

void Take(std::string_view key, std::string_view value, Parts& parts) {
  if (key == "contract") TakeNumber(value, parts.contract);
  if (key == "version") parts.version = OneLine(value);
  if (key == "answer") parts.kind = value;
  if (key == "failure") parts.failure = value;
  if (key == "reason") parts.reason = OneLine(value);
  if (key == "option") parts.option = OneLine(value);
  if (key == "note") parts.answer.notes.push_back(OneLine(value));
  for (const std::string_view prefix : {kNumber, kText}) {
    if (!key.starts_with(prefix)) continue;
    parts.answer.facts.Add(
        {std::string(key.substr(prefix.size())), Unescaped(value), prefix == kNumber});
  }
}

// Removes the first line from `rest` and returns it; nullopt if the line has no end.
std::optional<std::string_view> CutLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

// Caps the number of facts and notes of an answer. An answer has a few hundred of them, and a fact
// for each traced method: at most 1000.
constexpr size_t kMostValues = 4096;

// Reads the lines after the first one. Returns nullopt if each of these lines has the form that all
// versions of the layout share. Otherwise returns the reason why the answer cannot be decoded.
std::optional<Reason> TakeLines(std::string_view rest, Parts& parts) {
  for (;;) {
    const std::optional<std::string_view> line = CutLine(rest);
    if (!line) return Reason::kIncomplete;
    if (line->empty()) return std::nullopt;
    const size_t equals = line->find('=');
    const size_t values = parts.answer.facts.all().size() + parts.answer.notes.size();
    if (equals == std::string_view::npos || values == kMostValues) return Reason::kMalformed;
    Take(line->substr(0, equals), line->substr(equals + 1), parts);
  }
}

// Returns the error in the answer. If the kind of the error is unknown, it becomes kOther.
Error ErrorOf(const Parts& parts) {
  if (*parts.failure == RowOf(ErrorKind::kUnknownOption).name) {
    return Error::UnknownOption(parts.option, parts.reason);
  }
  const auto* const row = std::ranges::find(kErrorKinds, *parts.failure, &ErrorKindRow::name);
  return Error(parts.reason, row == kErrorKinds.end() ? ErrorKind::kOther : row->kind);
}

}  // namespace

uint64_t NumberOf(const AgentFact& fact) {
  uint64_t number = 0;
  const char* const end = fact.value.data() + fact.value.size();
  const auto [rest, error] = std::from_chars(fact.value.data(), end, number);
  return fact.is_number && error == std::errc() && rest == end ? number : 0;
}

Nanos TimeOf(uint64_t number) {
  constexpr auto kLongest = static_cast<uint64_t>(std::numeric_limits<Nanos>::max());
  return static_cast<Nanos>(std::min(number, kLongest));
}

const AgentFact* AgentFacts::Find(std::string_view key) const {
  const auto found = std::ranges::find(facts_, key, &AgentFact::key);
  return found == facts_.end() ? nullptr : &*found;
}

std::string AgentFacts::Text(std::string_view key) const {
  const AgentFact* const fact = Find(key);
  return fact == nullptr ? std::string() : fact->value;
}

uint64_t AgentFacts::Number(std::string_view key) const {
  const AgentFact* const fact = Find(key);
  return fact == nullptr ? 0 : NumberOf(*fact);
}

Nanos AgentFacts::Time(std::string_view key) const { return TimeOf(Number(key)); }

std::vector<std::string> AgentFacts::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const AgentFact& fact : facts_) {
    if (fact.key == key) texts.push_back(fact.value);
  }
  return texts;
}

void AppendNotes(std::vector<std::string> more, std::vector<std::string>& notes) {
  std::ranges::move(more, std::back_inserter(notes));
}

std::string EncodeAnswer(const Result<AgentAnswer>& answer) {
  std::string bytes(kHead);
  bytes += std::to_string(kLayout) + '\n';
  AppendLine(bytes, "contract", std::to_string(kAgentContract));
  AppendLine(bytes, "version", JprofVersion());
  if (!answer) {
    const Error& error = answer.error();
    AppendLine(bytes, "failure", RowOf(error.kind()).name);
    AppendLine(bytes, "reason", error.message());
    if (!error.option().empty()) AppendLine(bytes, "option", error.option());
    return bytes + '\n';
  }
  AppendLine(bytes, "answer", kAnswerNames[static_cast<size_t>(answer.value().kind)]);
  for (const std::string& note : answer.value().notes) AppendLine(bytes, "note", note);
  for (const AgentFact& fact : answer.value().facts.all()) {
    AppendLine(bytes, std::string(fact.is_number ? kNumber : kText) + fact.key, fact.value);
  }
  return bytes + '\n';
}

Result<DecodedAnswer, UndecodedAnswer> DecodeAnswer(const std::string& bytes) {
  std::string_view rest = bytes;
  const std::optional<std::string_view> head = CutLine(rest);
  if (!head) {
    const bool is_begun = kHead.starts_with(bytes) || bytes.starts_with(kHead);
    return UndecodedAnswer{is_begun ? Reason::kIncomplete : Reason::kMalformed};
  }
  uint32_t layout = 0;
  if (head->starts_with(kHead)) TakeNumber(head->substr(kHead.size()), layout);
  if (layout == 0) return UndecodedAnswer{Reason::kMalformed};
  Parts parts;
  const std::optional<Reason> wrong = TakeLines(rest, parts);
  if (layout != kLayout) {
    const bool is_newer = layout > kLayout;
    return UndecodedAnswer{is_newer ? Reason::kNewerLayout : Reason::kOlderLayout, parts.version};
  }
  if (wrong) return UndecodedAnswer{*wrong};
  if (parts.failure) return DecodedAnswer{parts.contract, parts.version, ErrorOf(parts)};
  const auto* const name = std::ranges::find(kAnswerNames, parts.kind.value_or(""));
  if (name == kAnswerNames.end()) {
    const bool is_newer = parts.kind && parts.contract > kAgentContract;
    return UndecodedAnswer{is_newer ? Reason::kNewerLayout : Reason::kMalformed, parts.version};
  }
  parts.answer.kind = static_cast<AnswerKind>(name - kAnswerNames.begin());
  parts.answer.version = parts.version;
  return DecodedAnswer{parts.contract, parts.version, std::move(parts.answer)};
}

}  // namespace jprof
