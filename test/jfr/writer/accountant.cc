#include "jfr/writer/accountant.h"

#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "jfr/writer/jfr_file.h"

namespace jprof::test {
namespace {

constexpr size_t kMostFaults = 20;

class Audit {
 public:
  void Chunk(const ParsedChunk& chunk, const std::string& bytes) {
    References(chunk);
    Keys(chunk);
    ClassNames(chunk);
    Times(chunk);
    Settings(chunk, bytes);
    States(chunk, bytes);
    ++chunks_;
  }

  std::vector<std::string> TakeFaults() { return std::move(faults_); }

 private:
  void Fault(const std::string& what) {
    if (faults_.size() < kMostFaults) {
      faults_.push_back("chunk " + std::to_string(chunks_) + ": " + what);
    }
  }

  void References(const ParsedChunk& chunk) {
    for (const auto& [type, key] : chunk.references) {
      const std::string& name = chunk.types.at(type).name;
      const auto pool = chunk.pools.find(name);
      if (pool == chunk.pools.end() || !pool->second.contains(key)) {
        Fault("no " + name + " #" + std::to_string(key));
      }
    }
  }

  void Keys(const ParsedChunk& chunk) {
    for (const auto& [name, pool] : chunk.pools) {
      for (const auto& [key, value] : pool) {
        const auto [known, is_new] = values_.try_emplace({name, key}, value);
        if (!is_new && known->second != value) {
          std::string fault = name;
          fault.append(" #").append(std::to_string(key)).append(" is ").append(value);
          Fault(fault.append(" and was ").append(known->second));
        }
      }
    }
  }

  // Checks the names of classes. JMC parses a name that starts with '[' as the descriptor of an
  // array, and fails if the name is no such descriptor.
  void ClassNames(const ParsedChunk& chunk) {
    static const std::regex array(R"(\[+([BCDFIJSZ]|L[^;]+;))");
    const auto classes = chunk.pools.find("java.lang.Class");
    if (classes == chunk.pools.end()) return;
    for (const auto& [key, value] : classes->second) {
      const size_t symbol = value.find('#', value.find('#') + 1);  // the second '#' is the name's
      const auto& symbols = chunk.pools.at("jdk.types.Symbol");
      const auto name = symbols.find(std::stoull(value.substr(symbol + 1)));
      if (name == symbols.end() || !name->second.starts_with('[')) continue;
      if (!std::regex_match(name->second, array)) Fault("a class named " + name->second);
    }
  }

  void Times(const ParsedChunk& chunk) {
    if (chunk.state != 0) Fault("not finished");
    if (chunks_ > 0) {
      if (chunk.start_epoch_ns <= start_epoch_ns_) Fault("starts no later than the one before");
      if (chunk.ticks_per_second != ticks_per_second_) Fault("another frequency");
    }
    start_epoch_ns_ = chunk.start_epoch_ns;
    ticks_per_second_ = chunk.ticks_per_second;
  }

  void Settings(const ParsedChunk& chunk, const std::string& bytes) {
    const uint64_t setting = chunk.TypeNamed("jdk.ActiveSetting");
    for (const ParsedEvent& event : chunk.events) {
      if (event.type != setting) continue;
      const std::string fields = FieldsText(chunk, bytes, event);
      const std::string what = fields.substr(fields.find(',') + 1);  // the fields without the time
      const uint64_t type = std::stoull(what);
      if (!chunk.types.contains(type)) Fault("a setting of no type: " + what);
      if (!what.ends_with(",enabled,true")) continue;
      if (++enabled_[type] > 1) Fault("enabled again: " + chunk.types.at(type).name);
    }
  }

  void States(const ParsedChunk& chunk, const std::string& bytes) {
    for (const ParsedEvent& event : chunk.EventsNamed("profiler.WallClockSample")) {
      std::istringstream fields(FieldsText(chunk, bytes, event));
      std::string state;
      for (int i = 0; i < 4; ++i) std::getline(fields, state, ',');
      if (state == "#1") Fault("elapsed time that is STATE_DEFAULT");
    }
  }

  size_t chunks_ = 0;
  std::vector<std::string> faults_;
  std::map<std::pair<std::string, uint64_t>, std::string> values_;
  std::map<uint64_t, int> enabled_;
  uint64_t start_epoch_ns_ = 0;
  uint64_t ticks_per_second_ = 0;
};

}  // namespace

std::vector<std::string> AuditRecording(const std::string& bytes) {
  try {
    Audit audit;
    for (const ParsedChunk& chunk : ParseRecording(bytes)) audit.Chunk(chunk, bytes);
    return audit.TakeFaults();
  } catch (const std::exception& fault) {  // a fault at which the parser stops
    return {fault.what()};
  }
}

}  // namespace jprof::test
