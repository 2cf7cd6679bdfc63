#include "checker/problem.h"

#include <algorithm>
#include <sstream>

namespace shoal_checker {

bool Demand::hopeless(const Number* counts) const {
  const auto present = std::count_if(counts, counts + values, [](Number each) { return each > 0; });
  return static_cast<double>(present) < l * (1 - kSlack);
}

bool Demand::admits(const Number* counts) const {
  if (!entropy) return !hopeless(counts);
  double total = 0, sum = 0;
  for (int v = 0; v < values; ++v) total += static_cast<double>(counts[v]);
  for (int v = 0; v < values; ++v)
    if (counts[v] > 0) {
      const double share = static_cast<double>(counts[v]) / total;
      sum -= share * std::log(share);
    }
  return sum >= std::log(l * (1 - kSlack));
}

Lines::Lines(const std::string& text, std::function<bool(Number)> progress)
    : text_(text), progress_(std::move(progress)) {}

std::vector<std::string> Lines::next() {
  if (at_ >= text_.size()) throw Refuted("the proof ends before everything is closed");
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::istringstream line(text_.substr(at_, end - at_));
  at_ = end + 1;
  ++read_;
  if (progress_ && !progress_(read_)) throw Stopped();
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(std::move(word));
  return words;
}

void Lines::finish() {
  if (at_ >= text_.size()) return;
  ++read_;
  throw Refuted("the proof goes on after everything is closed");
}

Number whole(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 18 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
  if (!digits || (text.size() > 1 && text[0] == '0')) throw Refuted("a number is not written as one");
  return std::stoll(text);
}

}  // namespace shoal_checker
