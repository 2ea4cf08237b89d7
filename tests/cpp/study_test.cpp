// The registry: declarations are complete and consistent, validation refuses by name, repair always reaches a valid state,
// runs return what is declared and are pure, text forms read back.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "attn/text.hpp"
#include "studies.hpp"
#include "support.hpp"

using namespace attn;

namespace {

const Study& study_named(const std::string& id) { return *find_study(studies::registry(), id).value(); }

Error refused(const std::string& id, const Given& given) {
  const auto params = validate(study_named(id), given);
  REQUIRE_FALSE(params.ok());
  UNSCOPED_INFO(params.error().message);
  return params.error();
}

std::string text(const char* value) { return value; }

/// The defaults, with fewer simulated runs where a study simulates: they say the same here.
Given brief(const Study& study) {
  if (study.id == "ledger") return {{"runs", 40.0}};
  if (study.id == "seeds") return {{"count", 40.0}};
  return {};
}

/// Any value at all: numbers good and bad, text good and bad, flags.
Value random_value(support::Bits& bits) {
  switch (bits.below(8)) {
    case 0: return bits.real(-1e10, 1e10);
    case 1: return static_cast<double>(bits.below(600));
    case 2: return std::numeric_limits<double>::quiet_NaN();
    case 3: return bits.below(2) == 1;
    case 4: return std::to_string(bits.below(600));
    case 5: return text("1,2;3,4");
    case 6: return std::to_string(bits.below(20)) + "," + std::to_string(bits.below(20));
    default: {
      std::string junk;
      for (std::size_t i = bits.below(9); i > 0; --i) junk += static_cast<char>(32 + bits.below(95));
      return junk;
    }
  }
}

}  // namespace

TEST_CASE("every study is declared completely, with defaults and presets that run", "[study]") {
  std::set<std::string> ids;
  REQUIRE(studies::registry().size() >= 2);
  for (const Study* study : studies::registry()) {
    INFO(study->id);
    CHECK(ids.insert(study->id).second);
    CHECK_FALSE((study->title.empty() || study->summary.empty() || study->claims.empty() || study->presets.empty()));
    std::set<std::string> keys;
    for (const Parameter& parameter : study->parameters) {
      INFO(parameter.key);
      CHECK(keys.insert(parameter.key).second);
      CHECK_FALSE((parameter.label.empty() || parameter.help.empty()));
      CHECK(validate(*study, {{parameter.key, parameter.initial}}).ok());
      if (parameter.kind == Kind::integer) {
        CHECK(parameter.min < parameter.max);
        CHECK(parameter.step >= 1);
        CHECK((parameter.scale == Scale::linear || parameter.min > 0));
      }
    }
    Workspace workspace;
    std::set<std::string> names;
    for (const Preset& preset : study->presets) {
      INFO(preset.id);
      CHECK(names.insert(preset.id).second);
      Given given = brief(*study);
      given.insert(given.end(), preset.params.begin(), preset.params.end());
      CHECK(run(*study, given, workspace).ok());
    }
  }
}

TEST_CASE("a run returns exactly the declared series, in order and filled", "[study]") {
  for (const Study* study : studies::registry()) {
    Workspace workspace;
    const auto done = run(*study, brief(*study), workspace).value();
    CHECK(done.code == study->code(done.params));
    REQUIRE(done.series.size() == study->series.size());
    for (std::size_t i = 0; i < done.series.size(); ++i) {
      INFO(study->id << " " << done.series[i].name);
      CHECK(done.series[i].name == study->series[i].name);
      std::size_t elements = 1;
      for (const std::size_t size : done.series[i].shape) elements *= size;
      CHECK((study->series[i].words ? done.series[i].words.size() : done.series[i].data.size()) == elements);
      CHECK(done.series[i].words.empty() == !study->series[i].words);
      CHECK(done.series[i].shape.size() == std::max<std::size_t>(study->series[i].axes.size(), 1));
      const std::string& unit = study->series[i].unit;
      CHECK((unit == done.series[i].unit || unit.find(done.series[i].unit + " or") != std::string::npos));
    }
  }
}

TEST_CASE("a run is a pure function of its parameters: a used workspace changes no bit", "[study]") {
  Workspace used;
  const Study& study = study_named("saturation");
  for (const double d : {4.0, 37.0, 512.0, 37.0}) {
    for (const double draws : {5.0, 16.0}) {
      const Given given{{"d", d}, {"draws", draws}, {"keys", 32.0}, {"unit", text("bits")}};
      Workspace fresh;
      const auto a = run(study, given, used).value();
      const auto b = run(study, given, fresh).value();
      for (std::size_t s = 0; s < a.series.size(); ++s) {
        for (std::size_t i = 0; i < a.series[s].data.size(); ++i) REQUIRE(support::same(a.series[s].data[i], b.series[s].data[i]));
      }
    }
  }
}

TEST_CASE("validation refuses by name, entry and range", "[study][errors]") {
  CHECK(refused("saturation", {{"width", 4.0}}).code == ErrorCode::unknown_parameter);
  CHECK(refused("saturation", {{"d", 3.0}}).message == "d is 3; allowed are integers from 4 to 512");
  CHECK(refused("saturation", {{"d", 513.0}}).code == ErrorCode::out_of_range);
  CHECK(refused("saturation", {{"d", 4.5}}).code == ErrorCode::not_an_integer);
  CHECK(refused("saturation", {{"d", std::numeric_limits<double>::quiet_NaN()}}).code == ErrorCode::not_an_integer);
  CHECK(refused("saturation", {{"d", std::numeric_limits<double>::infinity()}}).code == ErrorCode::out_of_range);
  CHECK(refused("saturation", {{"d", text("128")}}).code == ErrorCode::wrong_type);
  CHECK(refused("saturation", {{"d", true}}).code == ErrorCode::wrong_type);
  CHECK(refused("saturation", {{"unit", text("dits")}}).message == "unit is \"dits\"; allowed are nats, bits");
  CHECK(refused("saturation", {{"unit", 1.0}}).code == ErrorCode::wrong_type);
  CHECK(refused("saturation", {{"seed", 4294967296.0}}).code == ErrorCode::out_of_range);
  CHECK(refused("masked-softmax", {{"causal", text("true")}}).code == ErrorCode::wrong_type);
  CHECK(refused("masked-softmax", {{"lens", text("2,5")}}).param == "lens");
  CHECK(refused("masked-softmax", {{"lens", text("2,5")}}).code == ErrorCode::out_of_range);
  CHECK(refused("masked-softmax", {{"lens", text("2,-1")}}).code == ErrorCode::out_of_range);
  CHECK(refused("masked-softmax", {{"lens", text("2,1.5")}}).code == ErrorCode::not_an_integer);
  CHECK(refused("masked-softmax", {{"lens", text("2,two")}}).code == ErrorCode::wrong_type);
  CHECK(refused("masked-softmax", {{"lens", text("1,2;3")}}).code == ErrorCode::wrong_shape);
  CHECK(refused("masked-softmax", {{"lens", text("1,2,3")}}).code == ErrorCode::wrong_shape);
  CHECK(refused("masked-softmax", {{"batch", 3.0}, {"lens", text("2,3")}}).code == ErrorCode::wrong_shape);
  CHECK(refused("masked-softmax", {{"lens", text("2,1.5")}}).message == "lens[1] is 1.5; allowed are integers from 0 to 4, the number of keys");
  const auto unknown = find_study(studies::registry(), "nothing");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().code == ErrorCode::unknown_study);
  CHECK(unknown.error().message.find("saturation") != std::string::npos);
}

TEST_CASE("a default follows what was given, and lengths come out in one form", "[study]") {
  const Study& study = study_named("masked-softmax");
  CHECK(validate(study, {{"keys", 1.0}}).value().text("lens") == "1,1");
  CHECK(validate(study, {{"batch", 3.0}}).value().text("lens") == "2,3,4");
  CHECK(repair(study, {{"keys", text("1")}}).notices.empty());
  CHECK(validate(study, {{"lens", text("02,1e0")}}).value().text("lens") == "2,1");
  CHECK(repair(study, {{"lens", text("02,1e0")}}).params.text("lens") == "2,1");
}

TEST_CASE("what a link has wrong is told with what is allowed", "[study][errors]") {
  const auto told = [](const char* id, const Given& given) {
    std::vector<std::string> all;
    for (const Notice& notice : repair(study_named(id), given).notices) all.push_back(notice.message);
    return all;
  };
  using Told = std::vector<std::string>;
  CHECK(told("masked-softmax", {{"lens", text("5,2")}}) == Told{"lens[0] is 5; allowed are integers from 0 to 4, the number of keys; 4,2 is used"});
  CHECK(told("masked-softmax", {{"lens", text("2,3,4")}}) == Told{"lens has shape (3,); with 2 sequences and 2 queries allowed are (2,) and (2, 2); 2,3 is used"});
  CHECK(told("jacobian", {{"m", text("64")}}) == Told{"\"m\" is not a parameter here and was left out; there are k, keys, rows, seed, generator, scores"});
  CHECK(told("masks", {{"mask", text("padding(7)")}}) == Told{"mask: padding(7): the length of sequence 0 is 7; allowed are 0 to 6, the number of keys; padding(6) is used"});
  CHECK(told("masks", {{"mask", text("causal &")}}) ==
        Told{"mask: at character 9, expected a term, ~ or (, found the end; in place of \"causal &\", causal & window(2) & padding(3) is used"});
  // where only the other one does not fit, each is told by itself
  CHECK(told("masks", {{"mask", text("padding(7)")}, {"meant", text("padding(8)")}}) ==
        Told{"mask: padding(7): the length of sequence 0 is 7; allowed are 0 to 6, the number of keys; padding(6) is used",
             "meant: padding(8): the length of sequence 0 is 8; allowed are 0 to 6, the number of keys; padding(6) is used"});
}

TEST_CASE("long rubbish is cut short in messages", "[study][errors]") {
  CHECK(attn::quoted(std::string(39, 'a')).size() == 41);
  CHECK(attn::quoted(std::string(41, 'a')) == '"' + std::string(40, 'a') + "…\"");
  CHECK(attn::quoted("a\nb\r\tc\x1b[31m\x7f\"\\") == R"("a\nb\r\tc\u001b[31m\u007f\"\\")");
  CHECK(attn::quoted(std::string_view("a\0b", 3)) == R"("a\u0000b")");
  // a control of two bytes, marks that turn the direction of text, a mark without width, and letters that are none of these
  CHECK(attn::quoted("\u009b\u202e\u2066\ufeff\u00ad") == R"("\u009b\u202e\u2066\ufeff\u00ad")");
  CHECK(attn::quoted("é√𝛼\u200b") == "\"é√𝛼\\u200b\"");
  // bytes that are no UTF-8
  CHECK(attn::quoted("\xC3") == "\"\xC3\"");
  CHECK(attn::quoted("\xFF\xE2\x80") == "\"\xFF\xE2\x80\"");
  CHECK(attn::quoted("\xC3\n\xE2\x80\n\xE2\n\x80") == "\"\xC3\\n\xE2\x80\\n\xE2\\n\x80\"");
  CHECK(attn::quoted(std::string(39, 'a') + "√√") == '"' + std::string(39, 'a') + "…\"");
  const Repaired wide = repair(study_named("saturation"), {{"d", std::string(5000, '9')}, {"unit", std::string(5000, 'x')}});
  CHECK(value_text(wide.params.at("d")) == "512");
  for (const Notice& notice : wide.notices) CHECK(notice.message.size() < 200);
  std::string lens = "1";
  for (int i = 0; i < 20000; ++i) lens += ",1";
  for (const Notice& notice : repair(study_named("masked-softmax"), {{"lens", lens}}).notices) CHECK(notice.message.size() < 300);
  for (const Notice& notice : repair(study_named("masks"), {{"mask", std::string(5000, '(')}}).notices) CHECK(notice.message.size() < 300);
}

TEST_CASE("text is read by the declaration and nothing else", "[study]") {
  const Study& study = study_named("masked-softmax");
  const Given typed = from_text(study, {{"keys", text("6")}, {"causal", text("true")}, {"lens", text("6")}, {"seed", text("0x10")}});
  CHECK(std::get<double>(typed[0].second) == 6);
  CHECK(std::get<bool>(typed[1].second));
  CHECK(std::get<std::string>(typed[2].second) == "6");
  CHECK(std::get<std::string>(typed[3].second) == "0x10");  // left as text, for validate to refuse
}

TEST_CASE("repair reaches a valid state from anything, says what it changed, and leaves valid states alone", "[study]") {
  support::Bits bits(41);
  for (const Study* study : studies::registry()) {
    for (int trial = 0; trial < 600; ++trial) {
      Given given;
      for (const Parameter& parameter : study->parameters) {
        if (bits.below(2) == 0) given.emplace_back(parameter.key, random_value(bits));
      }
      if (bits.below(10) == 0) given.emplace_back("unknown", random_value(bits));
      const Repaired repaired = repair(*study, given);
      const auto again = validate(*study, repaired.params.entries());
      if (!again) {
        INFO(study->id << ": " << again.error().message);
        REQUIRE(again.ok());
      }
      const bool was_valid = validate(*study, from_text(*study, given)).ok();
      REQUIRE(repaired.notices.empty() == was_valid);
      const Repaired twice = repair(*study, repaired.params.entries());
      REQUIRE(twice.notices.empty());
      REQUIRE(twice.params.entries() == repaired.params.entries());
    }
  }
}

TEST_CASE("repair takes the nearest value", "[study]") {
  const auto value = [](const char* id, Given given, const char* key) { return value_text(repair(study_named(id), given).params.at(key)); };
  CHECK(value("saturation", {{"d", text("9999")}}, "d") == "512");
  CHECK(value("saturation", {{"d", text("-1")}}, "d") == "4");
  CHECK(value("saturation", {{"d", text("1e999")}}, "d") == "512");
  CHECK(value("saturation", {{"d", text("100.4")}}, "d") == "100");
  CHECK(value("saturation", {{"d", text("wide")}}, "d") == "128");
  CHECK(value("saturation", {{"unit", text("dits")}}, "unit") == "nats");
  CHECK(value("masked-softmax", {{"lens", text("2,9")}}, "lens") == "2,4");
  CHECK(value("masked-softmax", {{"batch", text("3")}}, "lens") == "2,3,4");
  CHECK(value("masked-softmax", {{"batch", text("1")}}, "lens") == "2");
  CHECK(value("masked-softmax", {{"queries", text("3")}, {"lens", text("1,3;2,4")}}, "lens") == "1,3,4;2,4,4");
  CHECK(value("masked-softmax", {{"lens", text("1,x")}}, "lens") == "2,3");
}

TEST_CASE("lengths as text read back", "[study]") {
  for (const char* form : {"", "3", "2,3", "1,3;2,4", "1,2,3;", "0,0"}) {
    const auto lengths = parse_lengths("lens", form);
    REQUIRE(lengths.ok());
    CHECK(lengths_text(lengths.value()) == form);
  }
  CHECK(parse_lengths("lens", "1,2,3;").value().shape == std::vector<std::size_t>{1, 3});
  CHECK(parse_lengths("lens", "1,2,3").value().shape == std::vector<std::size_t>{3});
  for (const char* form : {",", ";", "1,", "1;;2", " 1", "1,2;3", "1e999x"}) CHECK_FALSE(parse_lengths("lens", form).ok());
}

TEST_CASE("numbers print with the fewest digits that read back", "[study]") {
  support::Bits bits(42);
  for (int trial = 0; trial < 20000; ++trial) {
    const auto value = std::bit_cast<double>(bits.next());
    if (!std::isfinite(value)) continue;
    REQUIRE(std::strtod(number_text(value).c_str(), nullptr) == value);
  }
  CHECK(number_text(128) == "128");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(4294967295.0) == "4294967295");
  CHECK(number_text(-0.0) == "-0");
  CHECK(json_text("a\"b\\\n\x01") == "\"a\\\"b\\\\\\n\\u0001\"");
}

TEST_CASE("every study says how a notebook makes the same, by generator or by library", "[study]") {
  std::size_t by_generator = 0;
  for (const Study* study : studies::registry()) {
    INFO(study->id);
    const auto code_of = [&](const char* key, const std::string& value) { return study->code(validate(*study, {{key, text(value.c_str())}}).value()); };
    if (const Parameter* framework = study->find("framework")) {
      std::vector<std::string> codes;
      for (const std::string& choice : framework->choices) {
        codes.push_back(code_of("framework", choice));
        CHECK(codes.back().find("mask") != std::string::npos);
      }
      std::sort(codes.begin(), codes.end());
      CHECK(std::adjacent_find(codes.begin(), codes.end()) == codes.end());
    } else if (study->find("generator") != nullptr) {
      ++by_generator;
      REQUIRE(study->find("seed") != nullptr);
      const std::string jax = code_of("generator", "jax"), torch = code_of("generator", "torch");
      CHECK(jax.find("jax") != std::string::npos);
      CHECK(torch.find("torch.manual_seed(") != std::string::npos);
      CHECK(jax.find("torch") == std::string::npos);
      // A key of JAX is used once: each that a split gives is the first argument of one draw before the next split.
      for (std::size_t at = jax.find(" = jax.random.split("); at != std::string::npos; at = jax.find(" = jax.random.split(", at + 1)) {
        const std::size_t line = jax.rfind('\n', at) + 1;
        const std::string part = jax.substr(at, jax.find(" = jax.random.split(", at + 1) - at);
        std::string name;
        for (const char c : jax.substr(line, at - line) + ",") {
          if (c == ' ') continue;
          if (c != ',') {
            name += c;
            continue;
          }
          INFO(name);
          std::size_t uses = 0;
          for (std::size_t use = part.find("(" + name + ","); use != std::string::npos; use = part.find("(" + name + ",", use + 1)) ++uses;
          CHECK(uses == 1);
          name.clear();
        }
      }
    } else {
      CHECK(study->code(validate(*study, {}).value()).starts_with("import torch\n"));  // nothing is drawn
    }
  }
  CHECK(by_generator >= 4);
}

TEST_CASE("a run goes no further than its progress says, and the next one is whole", "[study]") {
  for (const auto& [name, given] : std::vector<std::pair<const char*, Given>>{{"jacobian", {}}, {"batched", {}}, {"ledger", {{"runs", 40.0}, {"generator", std::string("jax")}}},
                                                                              {"saturation", {{"generator", std::string("torch")}, {"draws", 8.0}}}}) {
    const Study& study = study_named(name);
    INFO(name);
    Workspace workspace;
    std::size_t told = 0;
    workspace.progress = [&](double) {
      ++told;
      return false;
    };
    const auto done = run(study, given, workspace);
    CHECK(told == 1);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::cancelled);
    workspace.progress = nullptr;
    Workspace fresh;
    CHECK(run_json(study, run(study, given, workspace).value()) == run_json(study, run(study, given, fresh).value()));
  }
}

TEST_CASE("the ledger has one record a slot, with a verdict computed from texts that a seed changes", "[study]") {
  const Study& study = study_named("ledger");
  Workspace workspace;
  std::vector<double> told;
  workspace.progress = [&](double share) {
    told.push_back(share);
    return true;
  };
  const auto series = [&](const Run& done, const char* name) -> const Series& {
    return *std::find_if(done.series.begin(), done.series.end(), [&](const Series& s) { return s.name == name; });
  };
  const auto printed = run(study, {{"runs", 40.0}}, workspace).value();
  CHECK(series(printed, "matches").data.front() == 112);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.size() > 10);
  CHECK(told.back() == 1);
  const auto stranger = run(study, {{"runs", 40.0}, {"offset", 1.0}}, workspace).value();
  for (const Run* done : {&printed, &stranger}) {
    double matches = 0;
    for (std::size_t i = 0; i < 112; ++i) {
      const bool match = series(*done, "ours").words[i] == series(*done, "printed").words[i];
      CHECK(series(*done, "verdict").words[i] == (match ? "match" : "differs"));
      matches += match ? 1 : 0;
    }
    CHECK(series(*done, "matches").data.front() == matches);
  }
  CHECK(series(stranger, "matches").data.front() < 40);
  CHECK(series(stranger, "printed").words == series(printed, "printed").words);
  const std::string json = run_json(study, printed);
  std::size_t records = 0;
  for (std::size_t at = json.find("\"verdict\":\""); at != std::string::npos; at = json.find("\"verdict\":\"", at + 1)) ++records;
  CHECK(records == 112);
  CHECK(json.find("\"verdict\":\"match\"") != std::string::npos);
}

TEST_CASE("descriptions and runs come as JSON and CSV", "[study]") {
  const std::string description = describe_json(studies::registry());
  for (const char* piece : {"\"id\":\"saturation\"", "\"kind\":\"lengths\"", "\"scale\":\"log2\"", "\"default\":\"2,3\"", "\"claims\":["}) {
    CHECK(description.find(piece) != std::string::npos);
  }
  const Study& study = study_named("masked-softmax");
  Workspace workspace;
  const auto done = run(study, {{"lens", text("0,3")}}, workspace).value();
  const std::string json = run_json(study, done);
  CHECK(json.find("\"empty_rows\":{\"unit\":\"\",\"shape\":[2,2],\"data\":[1,1,0,0]}") != std::string::npos);
  const std::string csv = run_csv(done);
  CHECK(csv.starts_with("series,unit,index,value\nscores,,0;0;0,"));
  std::size_t lines = 0;
  for (const char c : csv) lines += c == '\n' ? 1 : 0;
  CHECK(lines == 1 + 3 * 16 + 3 * 4);
  // Words with what CSV itself is made of stand in quotes, their own doubled; others as they are.
  Run spoken = done;
  spoken.series = {{"said", "", {4}, {}}};
  spoken.series[0].words = {"plain", "a \"word\"", "one, two", "one\ntwo"};
  CHECK(run_csv(spoken) == "series,unit,index,value\nsaid,,0,plain\nsaid,,1,\"a \"\"word\"\"\"\nsaid,,2,\"one, two\"\nsaid,,3,\"one\ntwo\"\n");
}
