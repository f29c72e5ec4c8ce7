#include "cli/agct_death.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "base/scoped_fd.h"
#include "jfr/reader/jfr_chunk_header.h"
#include "jfr/writer/jfr_events.h"
#include "jfr/writer/jfr_writer.h"
#include "os/read_file.h"

namespace jprof {
namespace {

constexpr std::string_view kVerdict = "killed the JVM";
constexpr std::string_view kStackWord = "stack";
// The number of frames in a sentence.
constexpr int kMostFrames = 6;

// Takes a line from the front of the text.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Returns the clock of the recording that begins with the chunk, with a base of 0.
ChunkClock ClockOf(const profile::JfrChunkHeader& first) { return {first.EpochNanos(0), 0}; }

Result<profile::JfrChunkHeader> FirstHeader(const std::string& path) {
  const ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<uint8_t, profile::JfrChunkHeader::kSize> bytes;
  if (!fd.valid() || read(fd.get(), bytes.data(), bytes.size()) != ssize_t{bytes.size()}) {
    return Error::FromErrno("read", path);
  }
  const auto header = profile::JfrChunkHeader::Parse(bytes);
  if (!header) return profile::NotARecording(path);
  return *header;
}

// Writes a recording with the events of the call to the file `path`.
Status WriteChunk(const AgctDeath& death, const ChunkClock& clock, const std::string& path) {
  Result<std::unique_ptr<JfrWriter>> writer = JfrWriter::Claim(path, clock);
  if (!writer) return writer.error();
  EventDeclarations declarations;
  declarations.Declare(JfrType::kStackValidation);
  declarations.Declare(JfrType::kStackDifference);
  writer.value()->Declare(std::move(declarations));
  const Nanos now_ns = ChunkClock::Now().start_epoch_ns - clock.start_epoch_ns;
  const Status started = writer.value()->StartChunk(now_ns);
  if (!started) return started;
  const auto describe = [&](auto& event) {
    event.time_ns = now_ns;
    event.layer = death.layer;
    event.walker = death.walker;
    event.tier = death.tier;
    event.verdict = kVerdict;
    event.cause = death.cause;
  };
  StackValidation count;
  describe(count);
  count.is_wrong = true;
  count.is_judged = true;
  count.stacks = 1;
  writer.value()->Append(count);
  StackDifference example;
  describe(example);
  example.pc = death.pc;
  example.instruction = death.place;
  example.true_stack = death.stack;
  example.walked_stack = "";
  writer.value()->Append(example);
  return writer.value()->Seal(now_ns);
}

Status Append(const std::string& text, const std::string& path) {
  const ScopedFd fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return Error::FromErrno("open", path);
  const ssize_t written = write(fd.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  return Error::FromErrno("write", path);
}

}  // namespace

std::optional<AgctDeath> ParseAgctNote(std::string_view note) {
  note = note.substr(0, note.find('\0'));
  if (note.empty()) return std::nullopt;
  AgctDeath death;
  while (!note.empty()) {
    const std::string_view line = TakeLine(note);
    const size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const std::string fact(line.substr(std::min(end + 1, line.size())));
    if (word == "thread") death.thread = fact;
    if (word == "layer") death.layer = fact;
    if (word == "walker") death.walker = fact;
    if (word == "tier") death.tier = fact;
    if (word == "code") death.cause = fact;
    if (word == "place") death.place = fact;
    if (word == "pc") std::from_chars(fact.data(), fact.data() + fact.size(), death.pc, 16);
    if (word == kStackWord) {
      death.stack = note;
      break;
    }
  }
  if (death.pc == 0) death.cause = "entry of " + death.stack.substr(0, death.stack.find(" @ "));
  if (death.cause.empty()) death.cause = "native code";
  return death;
}

std::string TextOf(const AgctDeath& death, int process) {
  std::string text = death.walker + " killed process " + std::to_string(process) + " in thread " +
                     death.thread + ", at ";
  if (death.pc == 0) {
    text += "the " + death.cause;
  } else {
    char pc[24];
    const auto end = std::to_chars(pc, pc + sizeof pc, death.pc, 16).ptr;
    text += "0x" + std::string(pc, end) + " in " + death.cause + " (" + death.place + ")";
  }
  std::string_view stack = death.stack;
  for (int frames = 0; !stack.empty(); ++frames) {
    if (frames == kMostFrames) return text + " < ...";
    text += (frames == 0 ? "; Java frames: " : " < ") + std::string(TakeLine(stack));
  }
  return text;
}

Outcome<void> AddToRecording(const AgctDeath& death, const std::string& path) {
  const Result<profile::JfrChunkHeader> first = FirstHeader(path);
  if (!first) return Failure(FailureKind::kFile, first.error());
  const std::string chunk = path + ".killed";
  Status done = WriteChunk(death, ClockOf(first.value()), chunk);
  if (done) {
    const Result<std::string> bytes = ReadFile(chunk);
    done = bytes ? Append(bytes.value(), path) : Status(bytes.error());
  }
  unlink(chunk.c_str());
  return done ? Outcome<void>() : Failure(FailureKind::kFile, done.error());
}

}  // namespace jprof
