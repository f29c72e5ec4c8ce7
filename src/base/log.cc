#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/output_place.h"
#include "base/printable_text.h"

namespace jprof {
namespace {

constexpr size_t kMaxLine = 4096;

// The current level and descriptor. Relaxed order is enough: it is harmless if a change takes
// effect one line late. A replaced descriptor stays open on purpose: another thread might be
// writing to it, and replacements are few.
std::atomic<LogLevel> g_level{LogLevel::kInfo};
std::atomic<int> g_fd{STDERR_FILENO};

// Returns `text` with the prefix before each line.
std::string WithPrefix(std::string_view prefix, std::string_view text) {
  std::string lines(prefix);
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += prefix;
  }
  return lines;
}

__attribute__((format(printf, 3, 0))) void Write(LogLevel level, const char* prefix,
                                                 const char* format, va_list args) {
  if (level < g_level.load(std::memory_order_relaxed)) return;
  char text[kMaxLine];
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the callers have initialised args
  if (std::vsnprintf(text, sizeof text, format, args) < 0) return;
  // Escapes line feeds, because messages contain names of files, libraries and threads from
  // outside. At kInfo, however, line feeds are kept: this is the level of the answers to commands,
  // and answers can have several lines.
  const Layout layout = level == LogLevel::kInfo ? Layout::kKeep : Layout::kEscape;
  const std::string lines = WithPrefix(prefix, PrintableText(text, layout)) + '\n';
  const ssize_t written = write(g_fd.load(std::memory_order_relaxed), lines.data(), lines.size());
  static_cast<void>(written);  // nowhere to report a failure
}

}  // namespace

void Log::SetLevel(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }

Status Log::SetFile(std::string_view path) {
  if (path.empty()) {
    g_fd.store(STDERR_FILENO, std::memory_order_relaxed);
    return {};
  }
  const Result<OutputPlace> place = OutputPlace::Resolve(std::string(path));
  if (!place) return place.error();
  Result<ScopedFd> file = place.value().kind() == OutputPlace::Kind::kStream
                              ? place.value().OpenStream(OutputPlace::Unread::kRefuse)
                              : place.value().OpenFile(O_WRONLY | O_APPEND | O_CREAT);
  if (!file) return file.error();
  g_fd.store(file.value().Release(), std::memory_order_relaxed);
  return {};
}

#define JPROF_DEFINE_LOG(Name, level, prefix) \
  void Log::Name(const char* format, ...) {   \
    va_list args;                             \
    va_start(args, format);                   \
    Write(level, prefix, format, args);       \
    va_end(args);                             \
  }

JPROF_DEFINE_LOG(Debug, LogLevel::kDebug, "[jprof] debug: ")
JPROF_DEFINE_LOG(Info, LogLevel::kInfo, "[jprof] ")
JPROF_DEFINE_LOG(Warn, LogLevel::kWarn, "[jprof] warning: ")
JPROF_DEFINE_LOG(ErrorLine, LogLevel::kError, "[jprof] error: ")

#undef JPROF_DEFINE_LOG

}  // namespace jprof
