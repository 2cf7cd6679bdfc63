#include "core/lattice/lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "core/base/kernels.h"
#include "core/base/slots.h"
#include "core/privacy/rows_given_up.h"

namespace shoal {
bool below(const Levels& a, const Levels& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > b[i]) return false;
  return true;
}

Lattice::Lattice(const LatticeInput& input) : labels_(input.labels), privacy_(input.privacy) {
  const std::size_t attributes = input.parts.size();
  int bits = 0;  // of the last word that are taken
  steps_.resize(attributes);
  for (std::size_t a = 0; a < attributes; ++a) {
    const auto& levels = input.parts[a];
    const int height = static_cast<int>(levels.size()) - 1;
    if (height > kMostLevels) throw std::invalid_argument("a hierarchy has more than 255 levels");
    heights_.push_back(height);
    parts_.emplace_back();
    for (const auto& of_code : levels) parts_[a].push_back(*std::max_element(of_code.begin(), of_code.end()) + 1);
    const int width = std::bit_width(static_cast<unsigned>(parts_[a][0] - 1));
    if (bits + width > 64) ++words_, bits = 0;
    fields_.push_back({words_ - 1, bits, (std::uint64_t{1} << width) - 1});
    bits += width;
    steps_[a].resize(height + 1);
    for (int from = 0; from <= height; ++from) {
      steps_[a][from].resize(height + 1);
      for (int to = from; to <= height; ++to) {
        auto& step = steps_[a][from][to];
        step.resize(parts_[a][from]);
        for (std::size_t code = 0; code < levels[0].size(); ++code) step[levels[from][code]] = levels[to][code];
      }
    }
  }
  auto bottom = std::make_shared<GroupTable>();
  bottom->levels.assign(attributes, 0);
  const std::size_t rows = attributes ? input.codes.size() / attributes : 0;
  if (words_ == 3) words_ = 4;  // two kernels fewer
  bottom->keys.assign(rows * words_, 0);
  bottom->sizes.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t a = 0; a < attributes; ++a)
      bottom->keys[row * words_ + fields_[a].word] |=
          static_cast<std::uint64_t>(input.parts[a][0][input.codes[row * attributes + a]]) << fields_[a].shift;
    const auto counts = input.counts.subspan(row * labels_, labels_);
    bottom->sizes.push_back(std::accumulate(counts.begin(), counts.end(), Count{0}));
    total_ += bottom->sizes.back();
  }
  if (labels_ > 1) bottom->histograms.assign(input.counts.begin(), input.counts.end());
  if (privacy_) bottom->facts = GroupFacts::of_rows(*privacy_);
  bottom_ = std::move(bottom);
  if (!input.repeated) return;
  auto joined = std::make_shared<GroupTable>();
  roll_up(*bottom_, bottom_->levels, *joined);
  bottom_ = std::move(joined);
}

void Lattice::roll_up(const GroupTable& from, const Levels& to, GroupTable& result,
                      std::vector<std::uint32_t>* parent) const {
  thread_local std::vector<std::uint32_t> held;
  if (privacy_ && !parent) parent = &held;
  if (words_ == 1) roll_up_keys<1>(from, to, result, parent);
  else if (words_ == 2) roll_up_keys<2>(from, to, result, parent);
  else if (words_ == 4) roll_up_keys<4>(from, to, result, parent);
  else roll_up_keys<kAnyWords>(from, to, result, parent);
  if (privacy_) from.facts.roll_up(*parent, result.count(), result.facts);
}

template <int Words>
void Lattice::roll_up_keys(const GroupTable& from, const Levels& to, GroupTable& result,
                           std::vector<std::uint32_t>* parent) const {
  struct Change {
    Field field;
    const std::uint32_t* step;
  };
  std::vector<Change> changes;
  const int words = Words == kAnyWords ? words_ : Words;
  std::vector<std::uint64_t> unchanged(words, ~std::uint64_t{0});
  for (int a = 0; a < attributes(); ++a)
    if (from.levels[a] != to[a]) {
      changes.push_back({fields_[a], steps_[a][from.levels[a]][to[a]].data()});
      unchanged[fields_[a].word] &= ~(fields_[a].mask << fields_[a].shift);
    }
  const std::size_t count = from.count();
  result.levels = to;
  result.keys.resize(count * words);
  result.sizes.resize(count);
  result.histograms.resize(labels_ > 1 ? count * labels_ : 0);
  if (parent) parent->resize(count);
  thread_local Slots<Words> held;
  Slots<Words>& slots = held;  // the address of a thread's variable is looked up at every use
  slots.clear(count, words);
  std::uint32_t made = 0;
  std::uint64_t narrow[std::max(Words, 1)];
  for (std::size_t g = 0; g < count; ++g) {
    const std::uint64_t* old = from.keys.data() + g * words;
    std::uint64_t* key = Words == kAnyWords ? result.keys.data() + std::size_t{made} * words : narrow;
    for (int w = 0; w < words; ++w) key[w] = old[w] & unchanged[w];
    for (const Change& change : changes)
      key[change.field.word] |= std::uint64_t{change.step[change.field.part(old)]} << change.field.shift;
    const std::uint32_t group = slots.find(key, result.keys.data(), made);
    if (parent) (*parent)[g] = group;
    const bool fresh = group == made;
    made += fresh;
    result.sizes[group] = from.sizes[g] + (fresh ? 0 : result.sizes[group]);
    for (int label = 0; label < labels_ && labels_ > 1; ++label) {
      Count& sum = result.histograms[std::size_t{group} * labels_ + label];
      sum = from.histograms[g * labels_ + label] + (fresh ? 0 : sum);
    }
  }
  result.keys.resize(std::size_t{made} * words);
  result.sizes.resize(made);
  result.histograms.resize(labels_ > 1 ? std::size_t{made} * labels_ : 0);
}

double Lattice::spread(const Levels& low, const Levels& high, int attribute) const {
  return std::log(static_cast<double>(parts(attribute, low[attribute])) / parts(attribute, high[attribute]));
}

std::vector<std::vector<std::int32_t>> Lattice::levels_of(int attribute) const {
  std::vector<std::vector<std::int32_t>> levels;
  for (const auto& step : steps_[attribute][0]) levels.emplace_back(step.begin(), step.end());
  return levels;
}

void Lattice::refine(const GroupTable& from, std::span<const std::uint32_t> group_of,
                     std::span<const std::uint32_t> through, int attribute, int level, GroupTable& result,
                     std::vector<std::uint32_t>* parent) const {
  struct Scratch {
    std::vector<std::uint32_t> places, parent;
    std::vector<std::uint64_t> pairs;
    Slots<1> slots;
  };
  thread_local Scratch held;
  Scratch& scratch = held;  // the address of a thread's variable is looked up at every use
  const std::size_t rows = bottom_->count(), parts = parts_[attribute][level];
  const Field field = fields_[attribute];
  const std::uint32_t* step = steps_[attribute][0][level].data();
  // A place for every pair of group and part if there are few, else an index.
  const bool few = from.count() * parts <= rows * 4 + 1024;
  if (few) scratch.places.assign(from.count() * parts, UINT32_MAX);
  else scratch.slots.clear(rows), scratch.pairs.resize(rows);
  result.levels = from.levels;
  result.levels[attribute] = static_cast<std::uint8_t>(level);
  result.keys.clear();
  result.sizes.clear();
  result.histograms.clear();
  if (privacy_ && !parent) parent = &scratch.parent;
  if (parent) parent->resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t group = through[group_of[row]], part = step[field.part(bottom_->keys.data() + row * words_)];
    const std::uint64_t pair = std::uint64_t{group} * parts + part;
    const auto made = static_cast<std::uint32_t>(result.sizes.size());
    std::uint32_t at = few ? scratch.places[pair] : scratch.slots.find(&pair, scratch.pairs.data(), made);
    if (at >= made) {
      if (few) scratch.places[pair] = at = made;
      const auto key = from.keys.begin() + static_cast<std::ptrdiff_t>(group) * words_;
      result.keys.insert(result.keys.end(), key, key + words_);
      std::uint64_t& word = result.keys[std::size_t{at} * words_ + field.word];
      word = (word & ~(field.mask << field.shift)) | std::uint64_t{part} << field.shift;
      result.sizes.push_back(0);
      if (labels_ > 1) result.histograms.resize(result.histograms.size() + labels_, 0);
    }
    result.sizes[at] += bottom_->sizes[row];
    for (int label = 0; label < labels_ && labels_ > 1; ++label)
      result.histograms[std::size_t{at} * labels_ + label] += bottom_->histograms[row * labels_ + label];
    if (parent) (*parent)[row] = at;
  }
  if (privacy_) bottom_->facts.roll_up(*parent, result.count(), result.facts);
}

Groups Lattice::groups(const Levels& levels) const {
  Groups source = bottom_;
  {
    const std::lock_guard lock(mutex_);
    std::size_t found = at_hand_.size();
    for (std::size_t i = 0; i < at_hand_.size(); ++i)
      if (at_hand_[i]->count() < source->count() && below(at_hand_[i]->levels, levels)) source = at_hand_[i], found = i;
    if (found < at_hand_.size()) std::rotate(at_hand_.begin() + found, at_hand_.begin() + found + 1, at_hand_.end());
  }
  if (source->levels == levels) return source;
  auto made = std::make_shared<GroupTable>();
  roll_up(*source, levels, *made);
  const std::lock_guard lock(mutex_);
  at_hand_.push_back(made);
  bytes_ += made->bytes();
  while (at_hand_.size() > 1 && (bytes_ > kMostBytes || at_hand_.size() > kMostTables)) {
    bytes_ -= at_hand_.front()->bytes();
    at_hand_.erase(at_hand_.begin());
  }
  return made;
}

Count Lattice::minority(const GroupTable& table, std::size_t group) const {
  if (labels_ == 1) return 0;
  const auto begin = table.histograms.begin() + group * labels_;
  return table.sizes[group] - *std::max_element(begin, begin + labels_);
}

Cost Lattice::fixed_price(const Price& price, const Levels& levels) {
  Cost sum = 0;
  for (std::size_t a = 0; a < levels.size(); ++a) sum += price.fixed[a][levels[a]];
  return sum;
}

NodeMeasure Lattice::measure(const GroupTable& table, const Price& price, Count k, Count limit, Cost known,
                             std::vector<Count>* keeps) const {
  if (privacy_) {
    std::vector<Offer> offers;
    const bool by_rows = privacy_->may_be_at_risk(k);
    NodeMeasure node = judged(table, price, k, keeps, limit > 0 && (privacy_->risky(k) || by_rows) ? &offers : nullptr);
    node.possible = node.holds;
    if (node.holds || node.suppressed >= limit) return node;
    const Count most = limit - node.suppressed;
    const Cost more = known - std::min(node.cost, known), released = total_ - node.suppressed;
    const GivenUp choice =
        by_rows ? cheapest_rows_given_up(std::move(offers), privacy_->to_give_up(node.at_risk, released), most, more)
                : cheapest_given_up(std::move(offers), privacy_->excess(node.groups, released), most, more);
    // A more specific node can part a small group into one that is given up and one that is not.
    node.possible = by_rows || choice.possible;
    if (choice.unsettled < kInfinite) node.unsettled = node.cost + choice.unsettled;
    if (choice.partition.cost == kInfinite) return node;
    node.holds = true;
    node.cost += choice.partition.cost;
    node.suppressed += choice.rows;
    node.groups -= static_cast<Count>(choice.numbers.size());
    return node;
  }
  const kernels::SizeSums sizes = kernels::size_sums(table.sizes.data(), table.count(), k);
  NodeMeasure node{
      .groups = sizes.groups, .suppressed = sizes.suppressed, .cost = price.suppressed_row * sizes.suppressed};
  node.must = node.suppressed;
  switch (price.kind) {
    case Price::Kind::squares: node.cost += sizes.squares; break;
    case Price::Kind::groups: node.cost += total_ - sizes.suppressed - sizes.groups; break;
    case Price::Kind::minority:
      for (std::size_t g = 0; g < table.count(); ++g)
        if (table.sizes[g] >= k) node.cost += minority(table, g);
      break;
    case Price::Kind::cells:
      if (!price.units.empty() && sizes.suppressed > 0) node.cost -= cells_below(table, price, k);
      node.must_cost = node.cost;
      node.cost += fixed_price(price, table.levels);
      break;
  }
  return node;
}

// What the cells of one row cost at a node, if it is kept.
class Lattice::RowPrice {
 public:
  RowPrice(const Lattice& lattice, const Levels& levels, const Price& price) {
    for (std::size_t a = 0; a < price.units.size(); ++a) {
      const auto& units = price.units[a][levels[a]];
      if (std::ranges::adjacent_find(units, std::not_equal_to<>()) == units.end()) same_ += units.front();
      else varying_.emplace_back(lattice.fields_[a], units.data());
    }
  }
  Cost operator()(const std::uint64_t* key) const {
    Cost row = same_;
    for (const auto& [field, units] : varying_) row += units[field.part(key)];
    return row;
  }

 private:
  std::vector<std::pair<Field, const Cost*>> varying_;  // of attributes whose parts do not all cost alike
  Cost same_ = 0;
};

// What the rows of groups smaller than k would cost if they were kept.
Cost Lattice::cells_below(const GroupTable& table, const Price& price, Count k) const {
  const RowPrice row(*this, table.levels, price);
  Cost sum = 0;
  for (std::size_t g = 0; g < table.count(); ++g)
    if (table.sizes[g] < k) sum += table.sizes[g] * row(table.keys.data() + g * words_);
  return sum;
}

NodeMeasure Lattice::judged(const GroupTable& table, const Price& price, Count k, std::vector<Count>* keeps,
                            std::vector<Offer>* offers) const {
  std::unique_ptr<Judge> judge;
  {
    const std::lock_guard lock(mutex_);
    if (!judges_.empty()) judge = std::move(judges_.back()), judges_.pop_back();
  }
  if (!judge) judge = std::make_unique<Judge>(*privacy_);
  const RowPrice row(*this, table.levels, price);
  if (keeps) keeps->resize(table.count());
  NodeMeasure node;
  Cost released = 0;
  for (std::size_t g = 0; g < table.count(); ++g) {
    const Count size = table.sizes[g];
    const Verdict said = verdict(*judge, table.facts, g, size, k);
    if (keeps) (*keeps)[g] = said == Verdict::admitted ? size : 0;
    if (said == Verdict::admitted) {
      ++node.groups;
      released += size;
      Cost cost = 0;
      if (price.kind == Price::Kind::squares) cost = Cost{size} * size;
      if (price.kind == Price::Kind::groups) cost = size - 1;
      if (price.kind == Price::Kind::minority) cost = minority(table, g);
      node.cost += cost;
      const Cost at_risk = privacy_->rows_at_risk(size);
      node.at_risk += at_risk;
      if (!offers || (at_risk == 0 && privacy_->excess(1, size) <= 0)) continue;
      if (price.kind == Price::Kind::cells) cost = size * row(table.keys.data() + g * words_);
      offers->push_back({size, price.suppressed_row * size - cost, privacy_->excess(1, size), static_cast<int>(g)});
      continue;
    }
    const Count lost = judge->lost(said, size);
    const Cost kept = price.kind == Price::Kind::cells ? row(table.keys.data() + g * words_) : 0;
    node.cost += price.suppressed_row * lost - kept * size;
    node.suppressed += lost;
    if (said == Verdict::hopeless) {
      node.must += lost;
      node.must_cost += price.suppressed_row * lost - kept * size;
    } else if (keeps) {
      const Count most = judge->most_kept(size);
      (*keeps)[g] = most < k ? 0 : most;
      node.must += size - (*keeps)[g];
      node.must_cost += (price.suppressed_row - kept) * (size - (*keeps)[g]);
    }
  }
  if (price.kind == Price::Kind::cells) node.cost += fixed_price(price, table.levels);
  node.holds = privacy_->holds(node.groups, released) && privacy_->few_at_risk(node.at_risk, released);
  const std::lock_guard lock(mutex_);
  judges_.push_back(std::move(judge));
  return node;
}

}  // namespace shoal
