// The command line over the registry of studies: describe, run, claims, stats, random, mask, exercises, check. Text in, text out; all numbers come from the
// core. Exit codes: 0 done, 1 a claim does not hold or an answer is not right, 2 bad usage or bad input (one line on standard error).
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attn/attention.hpp"
#include "attn/random/arrays.hpp"
#include "attn/text.hpp"
#include "attn/version.hpp"
#include "exercise_command.hpp"
#include "mask_command.hpp"
#include "studies.hpp"
#include "words.hpp"

namespace {

using attn::Error;
using attn::Given;
using attn::Study;
using attn::tools::fail;
using attn::tools::print;
using attn::tools::take;
using attn::tools::whole;
using attn::tools::Words;

constexpr const char* usage =
    "attn describe [STUDY] [--format text|json]     studies, their parameters and claims\n"
    "attn run STUDY [--KEY VALUE ...] [--format text|csv|json]\n"
    "                                               runs a study; missing parameters take their defaults\n"
    "attn claims [STUDY]                            proves every claim, with its figures\n"
    "attn stats [--seed N] [--keys N] [--queries N] [D ...]\n"
    "                                               Jacobian norms and entropies (nats) of random attention at each width\n"
    "attn random jax|torch [--seed N] [--dtype float32] CALL:SIZES ...\n"
    "                                               random arrays, as in: attn random torch --seed 0 randn:5 rand:2,2,4\n"
    "attn mask EXPRESSION --queries N --keys N [--batch N] [--heads N] [--format text|json|report]\n"
    "          [--code pytorch|pytorch-mha|pytorch-flex|jax|keras|numpy]\n"
    "                                               the cells of a mask, then what it tells, as in:\n"
    "                                               attn mask 'causal & window(2) & padding(3)' --queries 6 --keys 6\n"
    "attn exercises [--format text|json]            the questions that the pages ask\n"
    "attn check PART ANSWER                         whether an answer is right, as in: attn check 5.1a even\n"
    "attn version | attn help\n";

std::string range_text(const attn::Parameter& parameter) {
  if (parameter.kind == attn::Kind::integer || parameter.kind == attn::Kind::number) return attn::number_text(parameter.min) + " to " + attn::number_text(parameter.max);
  if (parameter.kind == attn::Kind::flag) return "true or false";
  if (parameter.kind == attn::Kind::lengths) return "\"2,3\" or \"1,3;2,4\" or \"\"";
  if (parameter.kind == attn::Kind::mask) return "a mask expression, as in \"causal & padding(3)\"";
  if (parameter.kind == attn::Kind::list) return "ascending integers from 1 with commas, or nothing";
  if (parameter.kind == attn::Kind::numbers) {
    return "numbers from " + attn::number_text(parameter.min) + " to " + attn::number_text(parameter.max) + (parameter.non_finite ? ", nan, inf, -inf," : "") +
           " with commas and a semicolon between rows";
  }
  std::string text;
  for (const auto& choice : parameter.choices) text += (text.empty() ? "" : " or ") + choice;
  return text;
}

void describe_text(const Study& study) {
  print(study.id + ": " + study.title + "\n  " + study.summary + "\n");
  for (const auto& p : study.parameters) {
    print("  --" + p.key + "  " + range_text(p) + " (default " + attn::value_text(p.initial) + ")  " + p.help + "\n");
  }
  for (const auto& claim : study.claims) print("  claim " + claim.id + ": " + claim.sentence + "\n");
}

attn::Result<std::vector<const Study*>> chosen(const Words& words) {
  const auto registry = attn::studies::registry();
  if (words.names.empty()) return std::vector<const Study*>(registry.begin(), registry.end());
  std::vector<const Study*> studies;
  for (const auto& name : words.names) {
    const auto study = attn::find_study(registry, name);
    if (!study) return study.error();
    studies.push_back(study.value());
  }
  return studies;
}

int describe(Words words) {
  const std::string format = take(words, "format", "text");
  if (!words.options.empty()) return fail("describe has no option --" + words.options.front().first);
  const auto studies = chosen(words);
  if (!studies) return fail(studies.error());
  if (format == "json") {
    print(attn::describe_json(studies.value()) + "\n");
  } else if (format == "text") {
    for (const Study* study : studies.value()) describe_text(*study);
  } else {
    return fail("--format is " + attn::quoted(format) + "; allowed are text and json");
  }
  return 0;
}

void run_text(const attn::Run& run) {
  for (const auto& [key, value] : run.params.entries()) print(key + " = " + attn::value_text(value) + "\n");
  for (const auto& series : run.series) {
    print(series.name + (series.unit.empty() ? "" : " (" + series.unit + ")") + ":");
    const std::size_t columns = series.shape.empty() ? 1 : series.shape.back();
    for (std::size_t i = 0; i < series.data.size(); ++i) {
      char number[40];
      std::snprintf(number, sizeof number, "%.6g", series.data[i]);
      print((series.shape.size() > 1 && i % columns == 0 ? "\n  " : " ") + std::string(number));
    }
    for (const std::string& word : series.words) print((&word == series.words.data() ? " " : " | ") + word);
    print("\n");
  }
}

/// The series that make records, as a table: a line a record, columns side by side.
void records_text(const Study& study, const attn::Run& run) {
  std::vector<const attn::Series*> columns;
  for (std::size_t i = 0; i < run.series.size(); ++i) {
    if (study.series[i].axes == std::vector<std::string>{study.records}) columns.push_back(&run.series[i]);
  }
  for (const auto* column : columns) print(column->name + (column == columns.back() ? "\n" : "\t"));
  for (std::size_t row = 0; !columns.empty() && row < columns.front()->shape.front(); ++row) {
    for (const auto* column : columns) {
      print((column->words.empty() ? attn::number_text(column->data[row]) : column->words[row]) + (column == columns.back() ? "\n" : "\t"));
    }
  }
  print("\n");
}

int run(Words words) {
  if (words.names.size() != 1) return fail("run takes one study; try attn describe");
  const std::string format = take(words, "format", "text");
  if (format != "text" && format != "csv" && format != "json") {
    return fail("--format is " + attn::quoted(format) + "; allowed are text, csv and json");
  }
  const auto study = attn::find_study(attn::studies::registry(), words.names.front());
  if (!study) return fail(study.error());
  attn::Workspace workspace;
  const auto done = attn::run(*study.value(), attn::from_text(*study.value(), words.options), workspace);
  if (!done) return fail(done.error());
  if (format == "json") {
    print(attn::run_json(*study.value(), done.value()) + "\n");
  } else if (format == "csv") {
    print(attn::run_csv(done.value()));
  } else {
    if (!study.value()->records.empty()) records_text(*study.value(), done.value());
    run_text(done.value());
  }
  return 0;
}

int claims(const Words& words) {
  if (!words.options.empty()) return fail("claims has no option --" + words.options.front().first);
  const auto studies = chosen(words);
  if (!studies) return fail(studies.error());
  int failed = 0;
  for (const Study* study : studies.value()) {
    for (const auto& claim : study->claims) {
      const auto finding = claim.prove();
      failed += finding.holds ? 0 : 1;
      print((finding.holds ? "holds  " : "FAILS  ") + study->id + "/" + claim.id + ": " + claim.sentence + "\n       " +
            finding.evidence + "\n");
    }
  }
  return failed == 0 ? 0 : 1;
}

int stats(Words words) {
  attn::AttentionStatsOptions options;
  const auto seed = whole("seed", take(words, "seed", "0"), 0, 9007199254740991.0);
  const auto keys = whole("keys", take(words, "keys", "64"), 2, 65536);
  const auto queries = whole("queries", take(words, "queries", "256"), 2, 65536);
  for (const auto* each : {&seed, &keys, &queries}) {
    if (!each->ok()) return fail(each->error());
  }
  if (!words.options.empty()) return fail("stats has no option --" + words.options.front().first);
  options.seed = static_cast<std::uint64_t>(seed.value());
  options.num_keys = static_cast<std::size_t>(keys.value());
  options.num_queries = static_cast<std::size_t>(queries.value());
  if (words.names.empty()) words.names = {"4", "64", "512"};
  attn::DrawCache cache;
  for (const auto& name : words.names) {
    const auto d = whole("d", name, 1, 65536);
    if (!d) return fail(d.error());
    options.d = static_cast<std::size_t>(d.value());
    const auto pair = attn::attention_stats_pair(options, cache);
    if (!pair) return fail(pair.error());
    const auto& [unscaled, scaled] = pair.value();
    std::printf("d = %3zu: Jacobian norm %.3f (unscaled), %.3f (scaled); entropy %.4f (unscaled), %.4f (scaled)\n", options.d,
                unscaled.jacobian_norm.mean, scaled.jacobian_norm.mean, unscaled.entropy.mean, scaled.entropy.mean);
  }
  return 0;
}

/// "2,3,4" as sizes; arrays themselves say which sizes they take.
std::optional<std::vector<double>> read_sizes(std::string_view text) {
  std::vector<double> sizes;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto size = attn::parse_number(text.substr(0, end));
    if (!size) return std::nullopt;
    sizes.push_back(*size);
    if (end == text.size()) return sizes;
    text.remove_prefix(end + 1);
  }
}

int random_arrays(Words words) {
  if (words.names.size() < 2) return fail("random takes jax or torch, then one or more calls such as randn:2,3");
  attn::random::ArrayRequest request;
  request.generator = words.names.front();
  const std::string seed = take(words, "seed", "0");
  const std::string dtype = take(words, "dtype", "float32");
  if (!words.options.empty()) return fail("random has no option --" + words.options.front().first);
  const auto number = attn::parse_number(seed);
  if (!number) return fail("seed is " + attn::quoted(seed) + "; give an integer");
  request.seed = *number;
  for (std::size_t i = 1; i < words.names.size(); ++i) {
    const std::string& word = words.names[i];
    const std::size_t colon = word.find(':');
    auto& call = request.calls.emplace_back();
    call.call = word.substr(0, colon);
    call.dtype = dtype;
    if (colon == std::string::npos) continue;  // no sizes: one number
    const auto sizes = read_sizes(std::string_view(word).substr(colon + 1));
    if (!sizes) return fail("the sizes of " + attn::quoted(word) + " cannot be read; give integers with commas, as in randn:2,3");
    call.shape = *sizes;
  }
  const auto arrays = attn::random::random_arrays(request);
  if (!arrays) return fail(arrays.error());
  for (const auto& array : arrays.value()) {
    for (std::size_t i = 0; i < array.size(); ++i) std::printf("%s%.9g", i > 0 ? " " : "", static_cast<double>(array[i]));
    std::printf("\n");
  }
  return 0;
}

int command(std::string_view verb, const Words& words) {
  if (verb == "describe") return describe(words);
  if (verb == "run") return run(words);
  if (verb == "claims") return claims(words);
  if (verb == "stats") return stats(words);
  if (verb == "random") return random_arrays(words);
  if (verb == "mask") return attn::tools::mask_command(words);
  if (verb == "exercises") return attn::tools::exercises_command(words);
  if (verb == "check") return attn::tools::check_command(words);
  if (verb == "version" || verb == "--version") {
    std::printf("%s\n", attn::version);
    return 0;
  }
  if (verb == "help" || verb == "--help" || verb == "-h") {
    print(usage);
    return 0;
  }
  return fail(attn::quoted(verb) + " is not a command; try attn help");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "help";
  const Words words = attn::tools::read_words(argc, argv);
  if (!words.problem.empty()) return fail(words.problem);
  const int status = command(verb, words);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail("the output could not be written");
  return status;
}
