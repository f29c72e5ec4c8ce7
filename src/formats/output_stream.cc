#include "formats/output_stream.h"

#include "base/printable_text.h"
#include "base/write_all.h"

namespace jprof {

void OutputStream::Flush() {
  if (is_terminal_) buffer_ = PrintableText(buffer_, Layout::kKeep);
  if (status_.ok()) status_ = WriteAll(fd_, buffer_, name_);
  buffer_.clear();
}

Status OutputStream::Finish() {
  Flush();
  return status_;
}

}  // namespace jprof
