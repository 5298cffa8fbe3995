/// @file
/// Derived: what follows from a neighborhood, computed once.
#ifndef RONDO_COLLECTIVES_STATE_DERIVED_HPP
#define RONDO_COLLECTIVES_STATE_DERIVED_HPP

#include <memory>
#include <typeindex>
#include <unordered_map>

namespace rondo::internal {

/// Facts, at most one of a type, so that who keeps them need not know them. To be used with the communicator locked.
class Derived {
 public:
  /// The fact of this type, made by `make` when it is first asked for.
  template <typename Fact, typename Make>
  [[nodiscard]] std::shared_ptr<const Fact> get(Make make) {
    std::shared_ptr<const void>& known = facts_[typeid(Fact)];
    if (known == nullptr) known = std::make_shared<const Fact>(make());
    return std::static_pointer_cast<const Fact>(known);
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<const void>> facts_;
};

}  // namespace rondo::internal

#endif
