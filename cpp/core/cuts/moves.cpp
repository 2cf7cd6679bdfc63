#include "core/cuts/moves.h"

#include <algorithm>
#include <iterator>

namespace shoal {

Moves::Moves(const CutSpace& space, const Projection& pr)
    : first_(pr.alphabet.size(), 0), count_(pr.alphabet.size(), 0), parent_(pr.alphabet.size(), -1),
      needed_(pr.alphabet.size(), 0) {
  for (const auto& cut : pr.alphabet) attribute_.push_back(cut.attribute);
  for (std::size_t a = 0; a < pr.attributes.size(); ++a) {
    const Hierarchy* hierarchy = hierarchies_.emplace_back(space.hierarchy(pr.attributes[a]));
    auto& opening = opening_.emplace_back(hierarchy ? hierarchy->count() : 0, -1);
    if (!hierarchy) {
      for (std::int32_t code = 1; code < pr.size(static_cast<int>(a)); ++code) add({&code, 1}, pr.first_cut[a], -1);
      continue;
    }
    for (int part = hierarchy->count() - 1; part >= 0; --part) {
      const Hierarchy::Part& here = hierarchy->parts[part];
      if (here.cuts.empty()) continue;
      add(here.cuts, pr.first_cut[a], here.parent < 0 ? -1 : opening[here.parent]);
      opening[part] = all_.back();
    }
  }
}

void Moves::add(std::span<const std::int32_t> codes, int first_cut, int parent) {
  const int move = first_cut + codes.front() - 1;
  first_[move] = static_cast<int>(cuts_.size());
  count_[move] = static_cast<int>(codes.size());
  for (const std::int32_t code : codes) cuts_.push_back(first_cut + code - 1);
  parent_[move] = parent;
  if (parent >= 0) needed_[parent] = 1;
  all_.push_back(move);
}

bool Moves::needs(int move, int other) const {
  while (move >= 0 && move != other) move = parent_[move];
  return move >= 0;
}

void Moves::among(const std::vector<int>& cuts, std::vector<int>& moves) const {
  moves.clear();
  std::copy_if(cuts.begin(), cuts.end(), std::back_inserter(moves), [&](int cut) { return count_[cut] > 0; });
}

void Moves::toggle(int move, CutSet& head) const {
  if (!head.has(move)) {
    for (int cut : cuts(move)) head.add(cut);
    return;
  }
  for (int inner : all_)
    if (head.has(inner) && needs(inner, move))
      for (int cut : cuts(inner)) head.remove(cut);
}

std::vector<CutSet> Moves::shifts(const CutSet& head) const {
  std::vector<CutSet> heads;
  const auto free = [&](int cut) {
    return cut >= 0 && cut < static_cast<int>(attribute_.size()) && !hierarchies_[attribute_[cut]];
  };
  for (int cut : head.elements())
    for (int to : {cut - 1, cut + 1}) {
      if (!free(cut) || !free(to) || attribute_[to] != attribute_[cut] || head.has(to)) continue;
      CutSet& shifted = heads.emplace_back(head);
      shifted.remove(cut);
      shifted.add(to);
    }
  return heads;
}

std::vector<CutSet> Moves::neighbours(const CutSet& head) const {
  std::vector<CutSet> heads;
  for (int move : all_)
    if (possible(move, head)) toggle(move, heads.emplace_back(head));
  return heads;
}

}  // namespace shoal
