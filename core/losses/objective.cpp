#include "losses/objective.hpp"

#include <stdexcept>
#include <string>

namespace splitsecond {

Loss loss_named(std::string_view name) {
    std::string known;
    for (std::size_t i = 0; i < Losses::size; ++i) {
        if (name == Losses::names[i]) return static_cast<Loss>(i);
        known += (i == 0 ? "" : ", ") + std::string(Losses::names[i]);
    }
    throw std::invalid_argument("loss='" + std::string(name) + "' is not one of " + known + ".");
}

}  // namespace splitsecond
