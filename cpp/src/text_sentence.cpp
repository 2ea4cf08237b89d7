// Messages with numbers in them; see attn/text.hpp. One function for all of them, since a chain of appends in every place is most of what a refusal weighs.
#include "attn/text.hpp"

namespace attn {

std::string sentence(std::string_view pattern, std::initializer_list<std::size_t> numbers) {
  std::string text;
  const std::size_t* number = numbers.begin();
  for (const char c : pattern) {
    if (c != '#' || number == numbers.end()) {
      text += c;
      continue;
    }
    char digits[20];
    std::size_t first = sizeof digits;
    std::size_t left = *number++;
    do {
      digits[--first] = static_cast<char>('0' + left % 10);
      left /= 10;
    } while (left > 0);
    text.append(digits + first, sizeof digits - first);
  }
  return text;
}

Error refusal(ErrorCode code, std::string_view param, std::string_view pattern, std::initializer_list<std::size_t> numbers) {
  return {code, std::string(param), sentence(pattern, numbers)};
}

}  // namespace attn
