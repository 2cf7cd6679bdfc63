#include "core/cuts/cut_space.h"

#include <algorithm>
#include <numeric>

namespace shoal {

CutSpace::CutSpace(const Problem& problem, std::vector<std::optional<Hierarchy>> hierarchies)
    : problem_(&problem), hierarchies_(std::move(hierarchies)) {
  for (int a = 0; a < problem.attributes; ++a) {
    first_cut_.push_back(all_cuts_);
    const Hierarchy* own = hierarchy(a);
    if (!own) {
      for (int code = 1; code < problem.sizes[a]; ++code) {
        parent_.push_back(-1);
        cuts_.push_back({all_cuts_ + code - 1});
      }
    } else {
      // In the order of the codes, the larger of two first: what is near in the domain is near in a choice.
      const auto& parts = own->parts;
      std::vector<int> order(parts.size()), move(parts.size(), -1);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int x, int y) {
        return std::pair(parts[x].begin, -parts[x].end) < std::pair(parts[y].begin, -parts[y].end);
      });
      for (int part : order) {
        if (parts[part].cuts.empty()) continue;
        move[part] = moves();
        parent_.push_back(parts[part].parent < 0 ? -1 : move[parts[part].parent]);
        auto& cuts = cuts_.emplace_back();
        for (int code : parts[part].cuts) cuts.push_back(all_cuts_ + code - 1);
      }
    }
    all_cuts_ += problem.sizes[a] - 1;
  }
}

void CutSpace::repair(Choice& choice) const {
  for (int move = 0; move < moves(); ++move)
    if (parent_[move] >= 0 && !choice[parent_[move]]) choice[move] = 0;
}

void CutSpace::toggle(Choice& choice, int move) const {
  if (choice[move]) {
    choice[move] = 0;
    repair(choice);
  } else {
    for (; move >= 0; move = parent_[move]) choice[move] = 1;
  }
}

std::vector<char> CutSpace::cuts(const Choice& choice) const {
  std::vector<char> in(all_cuts_, 0);
  for (int move = 0; move < moves(); ++move)
    if (choice[move])
      for (int cut : cuts_[move]) in[cut] = 1;
  return in;
}

Choice CutSpace::choice(const Cuts& cuts) const {
  std::vector<char> in(all_cuts_, 0);
  for (std::size_t a = 0; a < cuts.size(); ++a)
    for (int code : cuts[a]) in[first_cut_[a] + code - 1] = 1;
  Choice choice(moves(), 0);
  for (int move = 0; move < moves(); ++move)
    choice[move] = std::all_of(cuts_[move].begin(), cuts_[move].end(), [&](int cut) { return in[cut] != 0; });
  repair(choice);
  return choice;
}

Choice CutSpace::random(std::mt19937_64& random) const {
  const double chance = draw(random);
  Choice choice(moves());
  for (auto& move : choice) move = draw(random) < chance;
  repair(choice);
  return choice;
}

}  // namespace shoal
