// The same parameters give the same bits on every target: hashes of whole runs, kept in tests/data/golden-hashes.txt and
// compared by the native, scalar, sanitised and WebAssembly builds alike. A changed hash means changed arithmetic.
#include <catch2/catch_test_macros.hpp>

#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "studies.hpp"
#include "support.hpp"

using namespace attn;

TEST_CASE("runs have their golden hashes", "[golden]") {
  std::ifstream file(support::data_path("golden-hashes.txt"));
  std::string line;
  std::size_t compared = 0;
  Workspace workspace;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string expected, id, pair;
    words >> expected >> id;
    const Study& study = *find_study(studies::registry(), id).value();
    Given given;
    while (words >> pair) given.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
    const auto done = run(study, from_text(study, given), workspace);
    REQUIRE(done.ok());
    support::Hash hash;
    for (const Series& series : done.value().series) {
      for (const double value : series.data) hash.add(value);
      for (const std::string& word : series.words) hash.add(word);
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash.value());
    INFO(line << " gives " << text);
    CHECK(text == expected);
    ++compared;
  }
  CHECK(compared >= 12);
}
