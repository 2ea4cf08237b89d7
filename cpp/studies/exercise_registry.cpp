// The exercises in their order.
#include <array>

#include "exercises.hpp"

namespace attn::studies {

std::span<const Exercise* const> exercises() {
  static const std::array listed{
      &exercise_1(),
      &exercise_2(),
      &exercise_3(),
      &exercise_4(),
      &exercise_5(),
      &exercise_6(),
      &exercise_7(),
      &exercise_8(),
      &exercise_9(),
      &exercise_10(),
      &exercise_11(),
      &exercise_12(),
      &exercise_12_timing(),
  };
  return listed;
}

}  // namespace attn::studies
