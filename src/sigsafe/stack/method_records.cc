#include "sigsafe/stack/method_records.h"

#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/vm_texts.h"

namespace jprof {
namespace {

// The maximum number of records in a chain that are looked at: more than fit into an arena.
constexpr uint32_t kMostLinks = 1 << 24;

// Returns the head of the key's chain. The number of chains is a power of two.
template <typename Chains>
auto& ChainOf(uint64_t key, Chains& chains) {
  return chains[(key * 0x9e3779b97f4a7c15) >> 32 & (chains.size() - 1)];
}

template <typename Record>
const Record* At(uint32_t place, const Arena& arena) {
  return place == 0 ? nullptr : static_cast<const Record*>(arena.At(place - 1));
}

// Returns the first record of a chain whose member `key` has the value; nullptr if there is none.
template <typename Record>
const Record* FindIn(const std::atomic<uint32_t>& head, uint64_t Record::*key, uint64_t value,
                     const Arena& arena) {
  const auto* record = At<Record>(head.load(std::memory_order_acquire), arena);
  for (uint32_t i = 0; i < kMostLinks && record != nullptr && record->*key != value; ++i) {
    record = At<Record>(record->next, arena);
  }
  return record;
}

template <typename Record>
void Publish(Record* record, std::atomic<uint32_t>& head, const Arena& arena) {
  const auto place = static_cast<uint32_t>(arena.PlaceOf(record) + 1);
  record->next = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(record->next, place, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

// Copies texts one after another to the memory after a record.
class TextCopier {
 public:
  explicit TextCopier(void* to) : to_(static_cast<uint8_t*>(to)) {}

  void Append(const VmText& text) {
    ok_ = ok_ && text.CopyTo(to_);
    to_ += text.size;
  }
  bool ok() const { return ok_; }

 private:
  uint8_t* to_;
  bool ok_ = true;
};

uint16_t Size(const VmText& text) { return static_cast<uint16_t>(text.size); }

}  // namespace

void MethodRecords::Clear() {
  for (auto& head : methods_) head.store(0, std::memory_order_relaxed);
  for (auto& head : classes_) head.store(0, std::memory_order_relaxed);
}

const MethodRecord* MethodRecords::Find(uint64_t id, const Arena& arena) const {
  return FindIn(ChainOf(id, methods_), &MethodRecord::id, id, arena);
}

const ClassRecord* MethodRecords::FindClass(uint64_t number, const Arena& arena) const {
  return FindIn(ChainOf(number, classes_), &ClassRecord::number, number, arena);
}

// Returns the record of the method's class, which it adds if it is not there; nullptr if the names
// of the class cannot be read, or the arena is full.
const ClassRecord* MethodRecords::AddClass(const HotspotLayout& vm, const JavaMethod& method,
                                           Arena& arena) {
  const uint64_t number = ClassNumberOf(method.id);
  Head& head = ChainOf(number, classes_);
  if (number != 0) {
    const ClassRecord* known = FindIn(head, &ClassRecord::number, number, arena);
    if (known != nullptr) return known;
  }
  VmClassTexts texts;
  if (!FindTexts(vm, method, &texts)) return nullptr;
  void* memory = arena.Allocate(sizeof(ClassRecord) + texts.name.size + texts.source_file.size +
                                texts.loader_class.size + texts.loader_name.size);
  if (memory == nullptr) return nullptr;
  auto* record = static_cast<ClassRecord*>(memory);
  *record = {number,
             0,
             texts.modifiers,
             Size(texts.name),
             Size(texts.source_file),
             Size(texts.loader_class),
             Size(texts.loader_name),
             texts.has_loader};
  TextCopier copier(record + 1);
  for (const VmText* text :
       {&texts.name, &texts.source_file, &texts.loader_class, &texts.loader_name}) {
    copier.Append(*text);
  }
  if (!copier.ok()) return nullptr;
  if (number != 0) Publish(record, head, arena);
  return record;
}

bool MethodRecords::Add(const HotspotLayout& vm, uint64_t method, uint64_t id, Arena& arena) {
  const MethodRecord* const known = Find(id, arena);
  if (known != nullptr && known->declaring != nullptr) return true;
  JavaMethod java;
  VmMethodTexts texts;
  const ClassRecord* declaring = nullptr;
  if (LoadJavaMethod(vm, method, &java) && java.id == id && FindTexts(vm, java, &texts)) {
    declaring = AddClass(vm, java, arena);
  }
  if (declaring == nullptr) texts = {};
  auto* record = static_cast<MethodRecord*>(arena.Allocate(
      sizeof(MethodRecord) + texts.name.size + texts.descriptor.size + texts.lines.size));
  if (record == nullptr) return false;
  *record = {id,
             method,
             declaring,
             0,
             texts.modifiers,
             texts.lines.size,
             Size(texts.name),
             Size(texts.descriptor)};
  TextCopier copier(record + 1);
  for (const VmText* text : {&texts.name, &texts.descriptor, &texts.lines}) copier.Append(*text);
  // If another Method has taken the place of this one meanwhile, the texts can be those of both.
  if (!copier.ok() || !LoadJavaMethod(vm, method, &java) || java.id != id) {
    record->declaring = nullptr;
  }
  Publish(record, ChainOf(id, methods_), arena);
  return true;
}

}  // namespace jprof
