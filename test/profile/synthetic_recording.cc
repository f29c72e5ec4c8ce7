#include "profile/synthetic_recording.h"

#include <memory>
#include <random>
#include <vector>

#include "jfr/writer/event_settings.h"
#include "jfr/writer/jfr_writer.h"

namespace jprof::test {
namespace {

constexpr int64_t kEpochNs = 1'700'000'000'000'000'000;
constexpr int64_t kStepNs = 100'000;
constexpr int64_t kChunkBytes = 40'000'000;
constexpr int64_t kFrameBytes = 5;
constexpr size_t kPools = 8;
constexpr int kMethodsPerClass = 20;

std::string ClassOf(int method) {
  const std::string number = std::to_string(method / kMethodsPerClass);
  return "app/package" + std::to_string(method / kMethodsPerClass % 10) + "/Class" + number;
}

class Maker {
 public:
  Maker(JfrWriter& writer, const SyntheticRecording& made)
      : writer_(writer), made_(made), random_(1) {  // NOLINT(cert-msc51-cpp): all runs are equal
    ConstantPools& pools = writer.pools();
    for (int i = 0; i < made.methods; ++i) {
      const uint32_t owner = pools.Class({.name = ClassOf(i)});
      methods_.push_back(pools.Method({owner, "method" + std::to_string(i), "()V"}));
    }
    settings_.Enable(JfrType::kExecutionSample);
    settings_.Set(JfrType::kExecutionSample, "period", "100 us");
  }

  bool Make() {
    int64_t done = 0;
    int64_t time_ns = 0;
    int64_t sealed_bytes = 0;
    bool more = true;
    for (int chunk = 0; more; ++chunk) {
      if (chunk > 0 && !writer_.StartChunk(time_ns).ok()) return false;
      BeginChunk(time_ns);
      stack_bytes_ = 0;
      while (more && writer_.chunk_bytes() + stack_bytes_ < kChunkBytes) {
        Append(done++, time_ns += kStepNs);
        const int64_t bytes = sealed_bytes + writer_.chunk_bytes() + stack_bytes_;
        more = (made_.samples == 0 || done < made_.samples) &&
               (made_.bytes == 0 || bytes < made_.bytes);
      }
      sealed_bytes += writer_.chunk_bytes() + stack_bytes_;
      if (!writer_.Seal(time_ns).ok()) return false;
    }
    return true;
  }

 private:
  void BeginChunk(int64_t time_ns) {
    settings_.WriteTo(writer_, time_ns);
    keys_.assign(static_cast<size_t>(made_.stacks), 0);
    threads_.clear();
    for (int i = 0; i < made_.threads; ++i) {
      const std::string name = "worker-" + std::to_string(i);
      threads_.push_back(
          writer_.pools().Thread({static_cast<uint64_t>(i + 1), i + 1, name, name, i}));
    }
  }

  void Append(int64_t number, int64_t time_ns) {
    // As in real programs, few stacks are hot and most are rare.
    const double even = std::uniform_real_distribution<>()(random_);
    const auto skewed = static_cast<size_t>(even * even * even * static_cast<double>(keys_.size()));
    const size_t stack = number < made_.stacks ? static_cast<size_t>(number) : skewed;
    const size_t pool = stack % kPools;  // threads of one pool do the same work
    const size_t in_pool = random_() % (threads_.size() / kPools + 1) * kPools;
    const uint32_t thread = threads_[(pool + in_pool) % threads_.size()];
    if (made_.walks) {
      writer_.Append(ExecutionSample{time_ns, thread, NewWalk(), ThreadState::kDefault});
      return;
    }
    if (keys_[stack] == 0) keys_[stack] = NewStack(static_cast<int>(stack));
    writer_.Append(ExecutionSample{time_ns, thread, keys_[stack], ThreadState::kDefault});
    if (number % 4 == 0) {
      writer_.Append(
          WallClockSample{time_ns, thread, keys_[stack], ThreadState::kSleeping, 1, 20'000'000});
    }
  }

  // Returns a new stack. Stacks share few paths near the root and differ most at the leaves.
  uint32_t NewStack(int stack) {
    std::minstd_rand random(static_cast<uint32_t>(stack) + 1);
    std::vector<FrameConstant> frames(static_cast<size_t>(made_.depth));
    uint32_t path = 0;
    for (int depth = 0; depth < made_.depth; ++depth) {
      const auto choices = static_cast<uint32_t>(depth < made_.depth / 2 ? 2 : 4);
      path = path * 31 + (depth % 3 == 0 ? static_cast<uint32_t>(random()) % choices : 0);
      const uint32_t method = methods_[(path * 2654435761u >> 8) % methods_.size()];
      const FrameType type = depth % 5 == 0 ? FrameType::kInlined : FrameType::kJitCompiled;
      frames[static_cast<size_t>(made_.depth - 1 - depth)] = {method, 10 + depth, depth, type};
    }
    frames[0].method_key = methods_[static_cast<size_t>(stack) % methods_.size()];
    const uint32_t key = writer_.pools().NewStackTraceKey();
    writer_.pools().SetStackTrace(key, Truncated::kNo, frames);
    return key;
  }

  // Returns a random stack of at least depth / 2 frames. Two calls hardly ever return equal stacks.
  uint32_t NewWalk() {
    const auto depth = static_cast<size_t>(made_.depth);
    std::vector<FrameConstant> frames(depth - random_() % (depth / 2));
    for (FrameConstant& frame : frames) {
      const auto line = static_cast<int>(random_() % 8);
      frame = {methods_[random_() % methods_.size()], 10 + line, line, FrameType::kJitCompiled};
    }
    stack_bytes_ += kFrameBytes * static_cast<int64_t>(frames.size());
    const uint32_t key = writer_.pools().NewStackTraceKey();
    writer_.pools().SetStackTrace(key, Truncated::kNo, frames);
    return key;
  }

  JfrWriter& writer_;
  const SyntheticRecording made_;
  EventSettings settings_;
  std::mt19937 random_;
  std::vector<uint32_t> methods_, threads_, keys_;
  // Approximate bytes of the walks' stacks, which are written at the end of the open chunk.
  int64_t stack_bytes_ = 0;
};

}  // namespace

bool MakeRecording(const std::string& path, const SyntheticRecording& made) {
  auto writer = JfrWriter::Open(path, ChunkClock{kEpochNs, 0});
  return writer.ok() && Maker(*writer.value(), made).Make();
}

std::string MadeMethod(int method) {
  std::string name = ClassOf(method);
  for (char& c : name) c = c == '/' ? '.' : c;
  return name + ".method" + std::to_string(method);
}

}  // namespace jprof::test
