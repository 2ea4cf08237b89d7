// Reading the words of a command line. See words.hpp.
#include "words.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "attn/text.hpp"

namespace attn::tools {

int fail(const Error& error) {
  std::fprintf(stderr, "attn: %s (%s)\n", error.message.c_str(), std::string(name(error.code)).c_str());
  return 2;
}

int fail(const std::string& message) {
  std::fprintf(stderr, "attn: %s\n", message.c_str());
  return 2;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

Words read_words(int argc, char** argv) {
  Words words;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      words.names.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      words.options.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
    } else if (i + 1 < argc) {
      words.options.emplace_back(word.substr(2), std::string(argv[++i]));
    } else {
      words.problem = word + " needs a value";
    }
  }
  for (std::size_t i = 0; i < words.options.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (words.options[i].first == words.options[j].first) words.problem = "--" + words.options[i].first + " is given twice";
    }
  }
  return words;
}

std::string take(Words& words, std::string_view name, std::string fallback) {
  for (auto it = words.options.begin(); it != words.options.end(); ++it) {
    if (it->first == name) {
      std::string text = value_text(it->second);
      words.options.erase(it);
      return text;
    }
  }
  return fallback;
}

Result<double> whole(const std::string& name, const std::string& text, double least, double most) {
  const auto number = parse_number(text);
  if (number && *number >= least && *number <= most && *number == static_cast<double>(static_cast<std::uint64_t>(*number))) return *number;
  const bool integer = number && std::floor(*number) == *number;
  return Error{integer ? ErrorCode::out_of_range : ErrorCode::not_an_integer, name,
               name + " is " + quoted(text) + "; allowed are integers from " + number_text(least) + " to " + number_text(most)};
}

}  // namespace attn::tools
