// The words of a command line and how commands answer: shared by the commands of attn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attn/error.hpp"
#include "attn/study.hpp"

namespace attn::tools {

/// Words of a command: names, and options "--key value" or "--key=value".
struct Words {
  std::vector<std::string> names;
  Given options;
  std::string problem;
};

[[nodiscard]] Words read_words(int argc, char** argv);

/// Takes the option of that name out of the words; `fallback` if it is not there.
[[nodiscard]] std::string take(Words& words, std::string_view name, std::string fallback);

/// A whole number in [least, most], or an Error naming the option.
[[nodiscard]] Result<double> whole(const std::string& name, const std::string& text, double least, double most);

/// Says what is wrong in one line on standard error; the exit code.
int fail(const Error& error);
int fail(const std::string& message);

void print(const std::string& text);

}  // namespace attn::tools
