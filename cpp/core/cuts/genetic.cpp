#include "core/cuts/genetic.h"

#include <algorithm>
#include <cmath>

#include "core/cuts/best_choice.h"

namespace shoal {
namespace {

// Whitley's linear ranking: the best is drawn so many times as often as the middle one.
constexpr double kBias = 1.5;

struct Member {
  CutGroups::Price price;
  Choice choice;
};

class Population {
 public:
  Population(const CutSpace& space, std::size_t most, std::uint64_t seed) : space_(space), most_(most), random_(seed) {}

  Choice stranger() { return space_.random(random_); }
  // A child of two members; a stranger if the population has it already.
  Choice child() {
    Choice child = crossed(members_[ranked()].choice, members_[ranked()].choice);
    mutate(child);
    space_.repair(child);
    const auto same = [&](const Member& member) { return member.choice == child; };
    return std::any_of(members_.begin(), members_.end(), same) ? stranger() : child;
  }
  bool full() const { return members_.size() == most_; }
  // Equals go behind those that were there before.
  void add(Member member) {
    if (full() && member.price >= members_.back().price) return;
    if (full()) members_.pop_back();
    const auto behind = std::upper_bound(members_.begin(), members_.end(), member,
                                         [](const Member& x, const Member& y) { return x.price < y.price; });
    members_.insert(behind, std::move(member));
  }

 private:
  std::size_t ranked() {
    const double chance = draw(random_), square = kBias * kBias - 4 * (kBias - 1) * chance;
    const double rank = static_cast<double>(members_.size()) * (kBias - std::sqrt(square)) / 2 / (kBias - 1);
    return std::min(static_cast<std::size_t>(rank), members_.size() - 1);
  }
  // Between two points from the one, outside from the other.
  Choice crossed(const Choice& outside, const Choice& between) {
    Choice child = outside;
    if (child.empty()) return child;
    int from = draw(random_, space_.moves() + 1), to = draw(random_, space_.moves() + 1);
    if (from > to) std::swap(from, to);
    std::copy(between.begin() + from, between.begin() + to, child.begin() + from);
    return child;
  }
  // One move on average, and a move that is made brings what it needs.
  void mutate(Choice& child) {
    for (int move = 0; move < space_.moves(); ++move)
      if (draw(random_, space_.moves()) == 0) space_.toggle(child, move);
  }

  const CutSpace& space_;
  const std::size_t most_;
  std::mt19937_64 random_;
  std::vector<Member> members_;
};

}  // namespace

Outcome genetic(const CutSpace& space, int population, const Options& options) {
  BestChoice search(space, options);
  Population members(space, static_cast<std::size_t>(population), options.seed);
  const auto look = [&](Choice choice) {
    if (search.finished()) return;
    const auto price = search.look(choice);
    members.add({price, std::move(choice)});
  };
  // The recoding that joins everything is admissible if any is, but for privacy rules.
  look(Choice(space.moves(), 0));
  if (!options.start.empty()) look(space.choice(options.start));
  while (!search.finished() && space.moves() > 0) look(members.full() ? members.child() : members.stranger());
  return search.outcome();
}

}  // namespace shoal
