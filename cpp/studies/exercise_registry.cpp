// The exercises in their order.
#include <array>

#include "exercises.hpp"

namespace attn::studies {

std::span<const Exercise* const> exercises() {
  static const std::array listed{
      &exercise_3(),
      &exercise_4(),
      &exercise_5(),
      &exercise_6(),
      &exercise_7(),
      &exercise_9(),
      &exercise_11(),
      &exercise_12(),
  };
  return listed;
}

}  // namespace attn::studies
