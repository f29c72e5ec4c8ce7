#include "formats/page/page_text.h"

#include <numeric>

#include "formats/page/inflate.h"
#include "sigsafe/base/check.h"

namespace jprof {

PageText::PageText() {
  const auto& sizes = kPackedPage.sizes;
  const size_t size = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  text_ = Inflate(kPackedPage.bytes, size).value_or("");
  JPROF_CHECK(text_.size() == size);
  std::string_view rest(text_);
  for (size_t i = 0; i < kPieces; ++i) {
    pieces_[i] = rest.substr(0, sizes[i]);
    rest.remove_prefix(pieces_[i].size());
  }
}

}  // namespace jprof
