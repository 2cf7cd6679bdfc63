// improve.h - a better incumbent where a lattice is too large for its proof: iterated local search.
//
// A descent goes to the best node that differs by a level in one attribute, while there is a better one; then to one that
// differs in two attributes, one up and one down. Where no such step helps, a few attributes are set free at random, and
// the nodes that differ in them alone are searched by bounds (boxes.h), which looks at many steps at once. Where that has
// been in vain for some time, a part of the attributes goes up to the top and comes down again, and all begins anew.
//
// Nodes near the present one are made from the group that each distinct row has there, without keys, and most are never
// made: what must be suppressed at a node that was measured must be so at every node below it (roofs.h). The order of
// looks depends on the seed and on nothing else, so the answer is the same for any number of threads.
#pragma once

#include <random>

#include "core/lattice/looks.h"
#include "core/lattice/roofs.h"

namespace shoal {

class Improver {
 public:
  Improver(Looks& looks, std::uint64_t seed);

  // From the top, and from the best node that is known, to nodes that no step improves.
  void begin();
  // Some more looks: a shake, or a kick where shakes have been in vain.
  void step();
  // How many nodes it has looked at, and at how many when it last found the best.
  std::int64_t looked() const { return looked_; }
  std::int64_t looked_at_best() const { return looked_at_best_; }

 private:
  struct Near;  // the present node, and what there is around it
  struct Above;
  struct Step {
    Cost bound;
    const Above* above;  // where one attribute is up, if it is
    int down;            // the attribute that goes down
    Levels levels;
  };
  struct Looked {
    Candidate candidate;
    NodeMeasure node;
  };

  void descend(bool pairs);
  bool shake();
  void kick();
  Near around() const;
  bool single(const Near& near);
  bool pair(const Near& near);
  bool try_steps(const Near& near, std::vector<Step> steps, bool cheapest_first);
  std::vector<Above> above(const Near& near);
  std::vector<int> shuffled();
  Looked look(const GroupTable& table) const;
  void take(const Looked& looked);

  Looks& looks_;
  const LatticeProblem& p_;
  const Lattice& lattice_;
  Roofs roofs_;
  std::mt19937_64 random_;
  std::vector<int> free_;  // attributes that have a choice of levels
  std::size_t width_;      // how many of them a shake sets free
  Candidate here_;         // the present node
  int idle_ = 0;           // shakes in vain around it
  std::int64_t looked_ = 0, looked_at_best_ = 0;
};

}  // namespace shoal
