// Known mistakes of the exercises: the number that a mistake gives, worked out here by hand, is met with the words about that mistake and no
// others. That mistakes differ from the answer and from each other is tested in exercises_test.cpp, the answers exercise by exercise.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "exercises.hpp"

using namespace attn;
using namespace attn::studies;

namespace {

struct Told {
  const char* part;
  const char* answer;  ///< as a reader writes it
  const char* words;   ///< how the verdict begins
};

constexpr Told told[] = {
    // q = (1, 0.5), k = (2, -1): q.k = 1.5, |k|^2 = 5, |q|^2 = 1.25
    {"2.1", "-1.439", "There the product is divided"},                 // 1.5 / sqrt 2 - 2.5
    {"2.1", "-1", "That is the score before"},
    {"2.1", "-1.149", "There −|q|²/2 is in it too"},                   // (1.5 - 2.5 - 0.625) / sqrt 2
    {"2.1", "-2.475", "There the whole |k|²"},                         // (1.5 - 5) / sqrt 2
    {"2.1", "1.061", "That is the product alone"},                     // 1.5 / sqrt 2
    {"2.1", "-0.5", "That is divided by d"},                           // (1.5 - 2.5) / 2
    {"2.1", "0.707", "Half the norm is more"},
    {"2.3a", "3", "Counted from 0"},
    {"2.3a", "10", "That is the key in PyTorch"},
    {"2.3c", "1", "Counted from 0"},
    {"3.1", "1/8", "The root of d divides"},
    {"3.1", "64", "That is the variance before"},
    {"3.2", "5.28", "That is the entropy in bits"},                    // (ln 64 - 1/2) / ln 2 = 6 - 0.7213
    {"3.2", "3.16", "Half of the variance"},
    {"3.2", "4.16", "That is ln 64"},
    {"3.2", "4.66", "No row of 64 weights"},
    {"3.3a", "0.84", "That is the relative variance"},                 // (e^4 - 1) / 64
    {"3.3a", "7.32", "That is one exponential alone"},                 // sqrt(e^4 - 1)
    {"3.3a", "0.32", "The exponent is s²"},                            // sqrt((e^2 - 1) / 64)
    {"3.3b", "47", "That is the relative variance"},
    {"3.3b", "55", "That is one exponential alone"},
    {"3.3d", "0.2", "That is the approximation"},
    {"3.3d", "2.0", "That is the measured entropy"},
    {"4.1b", "1/4,0;0,3/4", "That is diag(α)"},
    {"4.1b", "3/16,3/16;3/16,3/16", "Raising one score"},
    {"4.2b", "0.125", "That is the root of the sum"},
    {"4.2b", "0.0154", "That is the square"},                          // 63 / 4096
    {"4.3a", "64", "All keys alike"},
    {"4.3a", "1", "One key"},
    {"4.3b", "1/4", "That is the square"},
    {"5.1b", "1", "That is each exponential"},
    {"5.2a", "-65504", "float16 does not stop"},
    {"5.2a", "-1000000", "float16 has no such number"},
    {"6.1a", "111111;111111;111111;000000;000000;000000", "You have closed queries"},
    {"6.1a", "000111;000111;000111;000111;000111;000111", "You have marked the keys that are hidden"},
    {"6.1a", "100000;110000;111000;111000;111000;111000", "That is padding and causality"},
    {"6.1b", "100000;110000;111000;011100;001110;000111", "That is one key too many"},
    {"6.1b", "110000;111000;011100;001110;000111;000011", "A causal window looks back"},
    {"6.1b", "110000;011000;001100;000110;000011;000001", "Rows are queries here"},
    {"6.1b", "100000;110000;111000;111100;111110;111111", "That is causality without a window"},
    {"7.1", "11000;11110;10000;11111", "One key too many"},
    {"7.1", "01111;00011;11111;00000", "You have marked the keys that are hidden"},
    {"7.2", "1", "Every other row sums to 1"},
    {"7.3a", "100000;110000;111000;111100;111110;111111", "The second document still sees"},
    {"7.3a", "111100;111100;111100;111100;000011;000011", "The documents are apart"},
    {"7.3a", "100000;110000;001000;001100;001110;001111", "The document of length 4"},
    {"7.4b", "1024", "So many more entries"},
    {"7.4b", "262144", "That is with one length a sequence"},
    {"7.4c", "256", "That is with one length a query"},
    {"7.4c", "1048576", "So many more entries"},
    {"8.1a", "0.8", "That is what is left"},
    {"8.1b", "0.17677669529663692", "That is the standard deviation"},  // sqrt(1 / 32)
    {"8.1b", "0.02", "That is the variance without"},                  // 0.2 * 0.8 / 8
    {"8.1b", "0.25", "That is p/(1 − p) alone"},
    {"8.1c", "0.5", "That is the standard deviation"},
    {"8.1c", "0.16", "That is the variance without"},
    {"8.1c", "0.2", "That is the probability"},
    {"8.2a", "0.617;0.310", "Those belong to PyTorch"},
    {"8.2a", "0.5;0.167", "Those are the variances of uniform rows"},
    {"8.2b", "0.513;0.178", "Those belong to JAX"},
    // n = 3, m = 6, d_q = 20, d_k = 2: 3*20*2 and 3*2*6 products one way, 20*2*6 and 3*20*6 the other
    {"9.1a", "156", "Those are the multiplications"},
    {"9.1a", "288", "You begin each sum"},                             // 312 less 3*2 + 3*6 first terms
    {"9.1a", "1200", "That is the other order"},
    {"9.1a", "240", "That is the first"},
    {"9.1a", "72", "That is the second"},
    {"9.1b", "600", "Those are the multiplications"},
    {"9.1b", "1062", "You begin each sum"},                            // 1200 less 20*6 + 3*6
    {"9.1b", "480", "That is the first"},
    {"9.1b", "720", "That is the second"},
    {"9.2a", "40", "That is the whole matrix"},
    {"9.2a", "20", "The keys’ factor"},
    {"9.2b", "1", "That is the largest whole r"},
    {"9.2b", "0.55", "That is the inverse"},
    {"9.2b", "2", "From there on"},
    {"9.2b", "10", "Set r times"},
    {"9.3a", "320", "The variances 1/d_q and 1/d_k"},                  // 8 * 20 * 2
    {"9.3a", "64", "Products of different rows"},
    {"9.3a", "1", "That is one row"},
    // n = 1024, m = 512, d = 64, v = 128: 4nm = 2 097 152
    {"10.1a", "4194304", "That is two passes"},
    {"10.1a", "2097152", "That is one pass"},
    {"10.1a", "16777216", "Single precision takes four bytes"},
    {"10.1b", "655360", "The output is written"},                      // 4 (nd + md + mv)
    {"10.1b", "917504", "The values are read"},                        // 4 (nd + md + nv)
    {"10.1b", "786432", "Keys and values are read"},                   // 4 (nd + nv)
    {"10.1b", "294912", "Those are numbers"},
    {"10.1b", "9568256", "That is all there is to move"},
    {"10.2a", "48", "Sixteen bytes a score"},
    {"10.2a", "12", "Each product is a multiplication"},
    {"10.2a", "96", "Those are operations a number"},
    {"10.2c", "16", "That is the limit without"},
    {"10.2c", "22", "Divide the six"},
    {"10.2c", "16.75", "Sixteen bytes move"},
    {"10.3a", "1555/19500", "That is bytes an operation"},
    {"10.3a", "100.3", "That is with its tensor cores"},
    {"11.2b", "1", "The first order"},
    {"11.2b", "2", "The tanh is odd"},
    {"11.3a", "0.066,0.0076,0.00040,0.000011", "Those are PyTorch"},
    {"11.3a", "0.89,0.45,0.17,0.051", "Those are differences of scores"},
    {"11.3b", "0.062,0.025,0.0025,0.000082", "Those are JAX"},
    {"11.3c", "3", "That is the law"},
    {"11.3c", "3.00", "That is the law"},
    {"11.3b", "1.7,0.61,0.20,0.061", "Those are differences of scores"},
    // h = 8, d_q = 20, d_k = 2; then n = m = 512 and 64 everywhere
    {"12.1a", "176", "The vector w_v"},
    {"12.1a", "40", "That is the bilinear matrix"},
    {"12.1b", "67108864", "The two projections are missing"},          // 4 nmh
    {"12.1b", "41943040", "Each hidden unit"},                         // the answer less 2 nmh
    {"12.1b", "33816576", "That is the dot product"},                  // 2nmd + nm
    {"12.1c", "16908288", "Those are the multiplications"},
    {"12.1c", "75497472", "That is the additive rule"},
    {"12.1d", "262144", "Those are the scores"},
    {"12.1d", "67108864", "Those are bytes"},
    {"12.1d", "32768", "That is one projection"},
    {"12.1e", "16777216", "The dot product sums"},
    {"12.1e", "32768", "That is the size of the queries"},
    {"12.2b", "256", "Those are mebibytes"},
    {"12.2b", "67", "A factor of 4 is missing"},
    {"12.2b", "537", "Single precision has four bytes"},
};

}  // namespace

TEST_CASE("the number of a known mistake is met with the words about it", "[exercises]") {
  for (const auto& [id, answer, words] : told) {
    INFO(id << ": " << answer);
    const Part* part = find_part(exercises(), id);
    REQUIRE(part != nullptr);
    const auto verdict = check_answer(*part, answer);
    REQUIRE(verdict.ok());
    INFO(verdict.value().words);
    CHECK(verdict.value().outcome == Outcome::wrong);
    CHECK(std::string_view(verdict.value().words).starts_with(words));
  }
}
