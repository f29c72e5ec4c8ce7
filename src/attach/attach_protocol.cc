#include "attach/attach_protocol.h"

#include <algorithm>
#include <charconv>

namespace jprof {
namespace {

constexpr size_t kVersion1Arguments = 3;
constexpr size_t kVersion1Length = 1024;

void AppendString(std::string& bytes, std::string_view text) {
  bytes += text;
  bytes += '\0';
}

std::string Strings(const AttachRequest& request) {
  std::string bytes;
  AppendString(bytes, request.command);
  for (size_t i = 0; i < kVersion1Arguments; ++i) {
    AppendString(bytes, i < request.arguments.size() ? request.arguments[i] : std::string());
  }
  return bytes;
}

bool ParseInt(std::string_view text, int* number) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\n')) {
    text.remove_suffix(1);
  }
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, *number);
  return status == std::errc() && rest == end;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

bool AttachRequest::FitsVersion1() const {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const std::string& text) { return text.size() <= kVersion1Length; });
}

std::string Encode(const AttachRequest& request, AttachVersion version) {
  const std::string strings = Strings(request);
  std::string bytes;
  if (version == AttachVersion::k1) {
    AppendString(bytes, "1");
  } else {
    AppendString(bytes, "2");
    AppendString(bytes, std::to_string(strings.size()));
  }
  return bytes + strings;
}

Result<AttachReply> ParseReply(std::string_view reply) {
  const size_t end = reply.find('\n');
  AttachReply parsed;
  if (end == std::string_view::npos || !ParseInt(reply.substr(0, end), &parsed.result)) {
    return Error("the JVM's reply is not of the attach protocol");
  }
  parsed.text = reply.substr(end + 1);
  return parsed;
}

// From JDK 9 on, the text is "return code: N", or the reason why the library was not loaded.
// In JDK 8 the text is only the return code, N. If the library was not loaded, the text is empty,
// and the result is -1.
LoadReply InterpretLoad(const AttachReply& reply) {
  constexpr std::string_view kReturnCode = "return code: ";
  LoadReply load;
  std::string_view text = reply.text;
  if (reply.result == 0) {
    const size_t at = text.rfind(kReturnCode);
    if (at != std::string_view::npos) text.remove_prefix(at + kReturnCode.size());
    load.loaded = ParseInt(text, &load.return_code);
  }
  if (!load.loaded) load.error = FirstLine(reply.text);
  return load;
}

}  // namespace jprof
