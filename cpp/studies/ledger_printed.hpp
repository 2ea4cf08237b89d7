// The 112 numbers that the textbook section and its deck print, as text, and how each is made. Data and calls only; verdicts
// are computed in ledger.cpp. Source: Dive into Deep Learning, section 10.2 and its deck.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "attn/error.hpp"

namespace attn::studies {

/// One printed number made again: its text in the framework's manner, and the value before it was rounded for print.
struct Made {
  std::string text;
  double value;
};

/// A table as it stands in print.
struct PrintedTable {
  std::string framework;  ///< "jax" or "torch"
  std::string place;      ///< where it is printed
  std::string about;      ///< what it shows, in our words
  std::string calls;      ///< the calls that make it
  std::vector<std::string> entries;  ///< which number of the table each is
  std::vector<std::string> printed;  ///< the printed texts, in reading order
};

/// The tables in the order of the ledger.
[[nodiscard]] const std::vector<PrintedTable>& printed_tables();

/// Makes the numbers of every table of `framework` ("jax" or "torch"), a vector a table in the order of `printed_tables`, with
/// `offset` added to every seed; tells the share done, and goes on while `tell` says true. PyTorch's tables share one generator, as in the notebook. Error: cancelled.
[[nodiscard]] Result<std::vector<std::vector<Made>>> make_tables(const std::string& framework, std::uint64_t offset,
                                                                 const std::function<bool(double)>& tell);

}  // namespace attn::studies
