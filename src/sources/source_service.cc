#include "sources/source_service.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr size_t kMaxName = 4096;

// The heads of the messages. Each head is followed by the texts whose sizes it contains.
struct Question {
  uint32_t class_bytes = 0, file_bytes = 0;
};
struct Answer {
  uint32_t place_bytes = 0, text_bytes = 0;  // place_bytes is 0 if there is no such source
  uint32_t is_file = 0;
};

bool ReadBytes(int fd, void* bytes, size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

std::optional<std::string> ReadText(int fd, size_t size, size_t most) {
  if (size > most) return std::nullopt;
  std::string text(size, '\0');
  return ReadBytes(fd, text.data(), size) ? std::optional(std::move(text)) : std::nullopt;
}

template <class Head>
Status Send(int fd, const Head& head, std::string_view first, std::string_view second) {
  std::string message(reinterpret_cast<const char*>(&head), sizeof head);
  return WriteAll(fd, message.append(first).append(second), "the socket of sources");
}

}  // namespace

Result<SourceText> AskForSource(int socket, std::string_view class_name,
                                std::string_view file_name) {
  if (class_name.size() > kMaxName || file_name.size() > kMaxName) {
    return Error("the name is too long for a class with a source");
  }
  const Question question{static_cast<uint32_t>(class_name.size()),
                          static_cast<uint32_t>(file_name.size())};
  const Status sent = Send(socket, question, class_name, file_name);
  if (!sent) return sent.error();
  Answer answer;
  if (!ReadBytes(socket, &answer, sizeof answer)) return Error("the reader of sources has ended");
  const auto place = ReadText(socket, answer.place_bytes, kMaxName);
  const auto text = place ? ReadText(socket, answer.text_bytes, kMaxSourceBytes) : std::nullopt;
  if (!text) return Error("the reader of sources has ended");
  if (place->empty()) return Error("there is no such source");
  return SourceText{*text, *place, answer.is_file != 0};
}

void AnswerForSources(int socket, SourceFinder& sources) {
  for (;;) {
    Question question;
    if (!ReadBytes(socket, &question, sizeof question)) return;
    const auto class_name = ReadText(socket, question.class_bytes, kMaxName);
    const auto file_name =
        class_name ? ReadText(socket, question.file_bytes, kMaxName) : std::nullopt;
    if (!file_name) return;
    const Result<SourceText> found = sources.Find(*class_name, *file_name);
    const SourceText source = found && found.value().place.size() <= kMaxName &&
                                      found.value().text.size() <= kMaxSourceBytes
                                  ? found.value()
                                  : SourceText();
    const Answer answer{static_cast<uint32_t>(source.place.size()),
                        static_cast<uint32_t>(source.text.size()), source.is_file ? 1u : 0u};
    if (!Send(socket, answer, source.place, source.text)) return;
  }
}

}  // namespace jprof
