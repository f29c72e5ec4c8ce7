#include "base/agent_answer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/printable_text.h"
#include "base/version.h"

namespace jprof {
namespace {

constexpr std::string_view kLayout = "jprof-answer=1";
constexpr std::string_view kNumber = "number.";
constexpr std::string_view kText = "text.";

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

template <class Number>
void TakeNumber(std::string_view value, Number& number) {
  std::from_chars(value.data(), value.data() + value.size(), number);
}

void Take(std::string_view key, std::string_view value, CodedAnswer& coded, size_t& text_bytes) {
  if (key == "code") TakeNumber(value, coded.code);
  if (key == "bytes") TakeNumber(value, text_bytes);
  if (key == "outcome") coded.answer.outcome = Unescaped(value);
  if (key == "version") coded.answer.version = PrintableText(value, Layout::kEscape);
  if (key == "file") coded.answer.file = Unescaped(value);
  if (key == "note") coded.answer.notes.push_back(Unescaped(value));
  for (const std::string_view prefix : {kNumber, kText}) {
    if (!key.starts_with(prefix)) continue;
    coded.answer.facts.Add(
        {std::string(key.substr(prefix.size())), Unescaped(value), prefix == kNumber});
  }
}

}  // namespace

std::string AgentAnswer::WithNotes() const {
  std::string lines = text;
  for (const std::string& note : notes) lines += '\n' + note;
  return lines;
}

std::string EncodeAnswer(const CodedAnswer& coded) {
  std::string bytes(kLayout);
  bytes += '\n';
  AppendLine(bytes, "code", std::to_string(coded.code));
  AppendLine(bytes, "bytes", std::to_string(coded.answer.text.size()));
  AppendLine(bytes, "version", JprofVersion());
  if (!coded.answer.outcome.empty()) AppendLine(bytes, "outcome", coded.answer.outcome);
  if (!coded.answer.file.empty()) AppendLine(bytes, "file", coded.answer.file);
  for (const std::string& note : coded.answer.notes) AppendLine(bytes, "note", note);
  for (const AgentFact& fact : coded.answer.facts.all()) {
    AppendLine(bytes, std::string(fact.is_number ? kNumber : kText) + fact.key, fact.value);
  }
  return bytes + '\n' + coded.answer.text;
}

Result<CodedAnswer> DecodeAnswer(const std::string& bytes) {
  const Error incomplete("it is incomplete: is /tmp full?");
  std::string_view rest = bytes;
  const size_t head = rest.find('\n');
  if (rest.substr(0, head) != kLayout) {
    const bool is_cut_off = head == std::string_view::npos && kLayout.starts_with(rest);
    if (is_cut_off) return incomplete;
    return Error("its layout is not known here: is the agent of another version?");
  }
  CodedAnswer coded;
  size_t text_bytes = 0;
  for (rest.remove_prefix(head + 1);;) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return incomplete;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.empty()) break;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return Error("it has a line without a value");
    Take(line.substr(0, equals), line.substr(equals + 1), coded, text_bytes);
  }
  if (rest.size() < text_bytes) return incomplete;
  coded.answer.text = std::string(rest);
  return coded;
}

void AppendNotes(std::vector<std::string> more, std::vector<std::string>& notes) {
  std::ranges::move(more, std::back_inserter(notes));
}

AgentAnswer PrintableAnswer(AgentAnswer answer) {
  answer.outcome = PrintableText(answer.outcome, Layout::kEscape);
  for (std::string& note : answer.notes) note = PrintableText(note, Layout::kEscape);
  return answer;
}

}  // namespace jprof
