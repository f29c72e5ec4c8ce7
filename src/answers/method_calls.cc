#include "answers/method_calls.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/printable_text.h"

namespace jprof {
namespace {

constexpr std::string_view kMethodsKey = "methods[]";

// Removes a number and the space after it from the start of `row`. Returns false if `row` does not
// start with a number.
template <typename Number>
bool Cut(std::string_view* row, Number* number) {
  const auto [rest, error] = std::from_chars(row->data(), row->data() + row->size(), *number);
  const auto length = static_cast<size_t>(rest - row->data());
  if (error != std::errc() || length == row->size() || *rest != ' ') return false;
  row->remove_prefix(length + 1);
  return true;
}

}  // namespace

void AddMethodCalls(const std::vector<MethodCalls>& methods, AgentFacts& facts) {
  for (const MethodCalls& each : methods) {
    std::string row = std::to_string(each.calls) + ' ' + std::to_string(each.exceptions) + ' ';
    for (const Nanos time_ns : {each.total_ns, each.p50_ns, each.p99_ns, each.longest_ns}) {
      row += std::to_string(time_ns) + ' ';
    }
    facts.AddText(std::string(kMethodsKey), row + each.name);
  }
}

Result<std::vector<MethodCalls>> MethodCallsOf(const AgentFacts& facts) {
  std::vector<MethodCalls> methods;
  for (const std::string& text : facts.Texts(kMethodsKey)) {
    std::string_view row = text;
    MethodCalls method;
    const bool is_read = Cut(&row, &method.calls) && Cut(&row, &method.exceptions) &&
                         Cut(&row, &method.total_ns) && Cut(&row, &method.p50_ns) &&
                         Cut(&row, &method.p99_ns) && Cut(&row, &method.longest_ns);
    if (!is_read || row.empty()) {
      return Error("the agent's answer has a row that is not a method: " +
                   PrintableText(text, Layout::kEscape));
    }
    method.name = PrintableText(row, Layout::kEscape);
    methods.push_back(std::move(method));
  }
  return methods;
}

std::string MethodRows(const AgentFacts& facts) {
  std::string rows;
  for (const std::string& row : facts.Texts(kMethodsKey)) {
    rows += PrintableText(row, Layout::kEscape) + '\n';
  }
  return rows;
}

}  // namespace jprof
