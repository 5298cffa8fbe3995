#include "collectives/topology/linear_embedding.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace rondo::internal {
namespace {

enum class Representative : std::uint8_t { nearest, residue };

/// Returns the integer that a residue along dimension `k` stands for.
int represented(const Grid& grid, int k, int residue, Representative representative) {
  const int size = grid.sizes()[static_cast<std::size_t>(k)];
  if (!grid.periodic(k) || representative == Representative::residue || residue <= size / 2) return residue;
  return residue - size;
}

bool is_zero(std::span<const int> vector) {
  return std::ranges::all_of(vector, [](int coordinate) { return coordinate == 0; });
}

/// Returns the shortest integer vector of the same direction.
std::vector<int> primitive(std::span<const int> vector) {
  std::int64_t divisor = 0;
  for (const int coordinate : vector) divisor = std::gcd(divisor, std::int64_t{coordinate});
  std::vector<int> shortest;
  for (const int coordinate : vector) shortest.push_back(static_cast<int>(coordinate / divisor));
  return shortest;
}

/// Makes v as long as possible.
void stretch(const Grid& grid, LinearEmbedding& embedding) {
  std::int64_t divisor = 0;
  for (const std::int64_t multiple : embedding.multiples) divisor = std::gcd(divisor, multiple);
  for (std::int64_t& multiple : embedding.multiples) multiple /= divisor;
  for (std::size_t k = 0; k < embedding.vector.size(); ++k) {
    std::int64_t coordinate = embedding.vector[k] * divisor;
    if (grid.periodic(static_cast<int>(k))) coordinate %= grid.sizes()[k];
    embedding.vector[k] = static_cast<int>(coordinate);
  }
}

std::optional<LinearEmbedding> embed(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                     std::span<const int> dimensions, std::span<const std::uint32_t> which,
                                     Representative representative) {
  LinearEmbedding embedding;
  std::vector<int> vector(static_cast<std::size_t>(grid.dimensions()));
  std::size_t first = 0;  // first coordinate of v that is not 0
  for (const std::uint32_t v : which) {
    for (const int k : dimensions) {
      const auto at = static_cast<std::size_t>(k);
      vector[at] = represented(grid, k, neighborhood[v][at], representative);
    }
    if (is_zero(vector)) {
      embedding.multiples.push_back(0);
      continue;
    }
    if (embedding.vector.empty()) {
      embedding.vector = primitive(vector);
      while (embedding.vector[first] == 0) ++first;
    }
    const std::int64_t multiple = std::int64_t{vector[first]} / embedding.vector[first];
    for (const int k : dimensions) {
      const auto at = static_cast<std::size_t>(k);
      if (multiple * embedding.vector[at] != vector[at]) return std::nullopt;
    }
    embedding.multiples.push_back(multiple);
  }
  if (embedding.vector.empty()) return std::nullopt;
  stretch(grid, embedding);
  return embedding;
}

/// Returns the number of multiples of a vector until they are back at zero; the greatest number if they never are.
std::int64_t order_of(const Grid& grid, std::span<const int> vector) {
  constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t order = 1;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    if (vector[k] == 0) continue;
    if (!grid.periodic(static_cast<int>(k))) return kNever;
    const std::int64_t size = grid.sizes()[k];
    order = std::lcm(order, size / std::gcd(size, std::int64_t{vector[k]}));  // at most the number of processes
  }
  return order;
}

/// Looks for one vector of which all vectors of the neighborhood are multiples: the shortest vector in the
/// direction of the neighbor whose multiples take longest to come back to zero. Tries growing factors of both
/// signs, up to a bound. Returns nothing if a vector of the neighborhood is not found among the multiples.
std::optional<LinearEmbedding> embed_around(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  const auto d = static_cast<std::size_t>(grid.dimensions());
  const std::size_t u = neighborhood.size();
  LinearEmbedding embedding{{}, std::vector<std::int64_t>(u)};
  std::vector<char> found(u);
  std::size_t missing = u;
  std::vector<int> nearest(d);
  std::pair<std::int64_t, std::int64_t> most{};  // order, then negated length
  for (std::size_t v = 0; v < u; ++v) {
    if (is_zero(neighborhood[v])) {
      found[v] = 1;
      --missing;
      continue;
    }
    std::int64_t length = 0;
    for (std::size_t k = 0; k < d; ++k) {
      nearest[k] = represented(grid, static_cast<int>(k), neighborhood[v][k], Representative::nearest);
      length += std::abs(std::int64_t{nearest[k]});
    }
    const std::pair key{order_of(grid, nearest), -length};
    if (!embedding.vector.empty() && key <= most) continue;
    most = key;
    embedding.vector = primitive(nearest);
  }
  // Different vectors are different multiples.
  if (missing == 0 || most.first < static_cast<std::int64_t>(missing) + 1) return std::nullopt;
  // The vectors are in lexicographic order.
  const auto find = [&](std::span<const int> wanted) {
    std::size_t low = 0;
    std::size_t high = u;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (std::ranges::lexicographical_compare(neighborhood[middle], wanted))
        low = middle + 1;
      else
        high = middle;
    }
    return low < u && std::ranges::equal(neighborhood[low], wanted) ? low : u;
  };
  std::vector<int> place(d);
  const auto farthest = static_cast<std::int64_t>(2 * u + 16);
  for (std::int64_t m = 1; m <= farthest && missing > 0; ++m) {
    for (const std::int64_t multiple : {m, -m}) {
      bool on_grid = true;
      for (std::size_t k = 0; k < d; ++k) {
        const std::int64_t offset = multiple * embedding.vector[k];
        const std::int64_t size = grid.sizes()[k];
        if (grid.periodic(static_cast<int>(k)))
          place[k] = static_cast<int>((offset % size + size) % size);
        else if (std::abs(offset) < size)
          place[k] = static_cast<int>(offset);
        else
          on_grid = false;
      }
      const std::size_t v = on_grid ? find(place) : u;
      if (v == u || found[v] != 0) continue;
      found[v] = 1;
      --missing;
      embedding.multiples[v] = multiple;
    }
  }
  if (missing > 0) return std::nullopt;
  stretch(grid, embedding);
  return embedding;
}

std::int64_t farthest(const LinearEmbedding& embedding) {
  const auto [low, high] = std::ranges::minmax(embedding.multiples);
  return high - low;
}

void add(std::vector<LinearEmbedding>& embeddings, std::optional<LinearEmbedding> embedding) {
  if (embedding && std::ranges::find(embeddings, *embedding) == embeddings.end())
    embeddings.push_back(std::move(*embedding));
}

}  // namespace

std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood,
                                               std::span<const int> dimensions, std::span<const std::uint32_t> which) {
  std::vector<LinearEmbedding> embeddings;
  add(embeddings, embed(grid, neighborhood, dimensions, which, Representative::nearest));
  if (std::ranges::any_of(dimensions, [&](int k) { return grid.periodic(k); }))
    add(embeddings, embed(grid, neighborhood, dimensions, which, Representative::residue));
  std::ranges::stable_sort(embeddings, {}, farthest);
  return embeddings;
}

std::vector<LinearEmbedding> linear_embeddings(const Grid& grid, const FoldedNeighborhood& neighborhood) {
  std::vector<int> dimensions(static_cast<std::size_t>(grid.dimensions()));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::vector<std::uint32_t> all(neighborhood.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<LinearEmbedding> embeddings = linear_embeddings(grid, neighborhood, dimensions, all);
  add(embeddings, embed_around(grid, neighborhood));
  std::ranges::stable_sort(embeddings, {}, farthest);
  return embeddings;
}

}  // namespace rondo::internal
