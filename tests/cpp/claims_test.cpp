// Every sentence that states a fact is proved here, by the property declared beside it.
#include <catch2/catch_test_macros.hpp>

#include "studies.hpp"

using namespace attn;

TEST_CASE("every claim of every study holds", "[claims]") {
  std::size_t proved = 0;
  for (const Study* study : studies::registry()) {
    for (const Claim& claim : study->claims) {
      const Finding finding = claim.prove();
      INFO(study->id << "/" << claim.id << ": " << claim.sentence << "\n" << finding.evidence);
      CHECK(finding.holds);
      CHECK_FALSE(finding.evidence.empty());
      CHECK(claim.sentence.ends_with("."));
      ++proved;
    }
  }
  CHECK(proved >= 20);
}
