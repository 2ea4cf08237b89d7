// Declarations and runs as JSON and CSV: the one place that spells them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "attn/study.hpp"
#include "attn/text.hpp"
#include "attn/version.hpp"

namespace attn {
namespace {

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::integer: return "integer";
    case Kind::number: return "number";
    case Kind::choice: return "choice";
    case Kind::flag: return "flag";
    case Kind::lengths: return "lengths";
    case Kind::mask: return "mask";
    case Kind::list: return "list";
    case Kind::numbers: return "numbers";
  }
  return "";
}

const char* scale_text(Scale scale) {
  switch (scale) {
    case Scale::linear: return "linear";
    case Scale::log2: return "log2";
    case Scale::log10: return "log10";
  }
  return "";
}

/// Text that grows as objects and lists are opened, filled and closed; commas come by themselves.
class Json {
 public:
  Json& open(char bracket) {
    separate();
    out_ += bracket;
    fresh_ = true;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    fresh_ = false;
    return *this;
  }
  Json& key(std::string_view name) {
    separate();
    out_ += json_text(name);
    out_ += ':';
    fresh_ = true;
    return *this;
  }
  Json& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }
  Json& text(std::string_view text) { return raw(json_text(text)); }
  /// JSON has no NaN and no infinity: they travel as strings.
  Json& number(double value) { return std::isfinite(value) ? raw(number_text(value)) : text(number_text(value)); }
  Json& value(const Value& value) {
    return std::holds_alternative<std::string>(value) ? text(value_text(value)) : raw(value_text(value));
  }
  Json& texts(const std::vector<std::string>& all) {
    open('[');
    for (const std::string& each : all) text(each);
    return close(']');
  }
  Json& params(const Given& entries) {
    open('{');
    for (const auto& [name, given] : entries) key(name).value(given);
    return close('}');
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  std::string out_;
  bool fresh_ = true;
};

void write(Json& json, const Parameter& p) {
  json.open('{').key("key").text(p.key).key("label").text(p.label).key("symbol").text(p.symbol).key("help").text(p.help);
  json.key("kind").text(kind_text(p.kind));
  if (p.kind == Kind::integer || p.kind == Kind::number || p.kind == Kind::numbers) {
    json.key("min").number(p.min).key("max").number(p.max).key("step").number(p.step);
    json.key("scale").text(scale_text(p.scale));
  }
  if (p.kind == Kind::numbers) {
    json.key("nonFinite").raw(p.non_finite ? "true" : "false").key("growable").raw(p.growable ? "true" : "false");
    json.key("rowName").text(p.row_name).key("columnNames").texts(p.column_names);
  }
  if (p.kind == Kind::choice) json.key("choices").texts(p.choices);
  json.key("default").value(p.initial).close('}');
}

void write(Json& json, const SeriesInfo& s) {
  json.open('{').key("name").text(s.name).key("label").text(s.label).key("unit").text(s.unit).key("axes").texts(s.axes);
  json.key("values").text(s.words ? "words" : "numbers").close('}');
}

void write(Json& json, const Preset& p) {
  json.open('{').key("id").text(p.id).key("label").text(p.label).key("params").params(p.params).key("note").text(p.note).close('}');
}

void write(Json& json, const Claim& c) {
  json.open('{').key("id").text(c.id).key("sentence").text(c.sentence).close('}');
}

template <class Items>
void write_all(Json& json, std::string_view name, const Items& items) {
  json.key(name).open('[');
  for (const auto& item : items) write(json, item);
  json.close(']');
}

void write(Json& json, const Study& study) {
  json.open('{').key("id").text(study.id).key("title").text(study.title).key("summary").text(study.summary);
  write_all(json, "parameters", study.parameters);
  write_all(json, "series", study.series);
  write_all(json, "presets", study.presets);
  write_all(json, "claims", study.claims);
  json.close('}');
}

/// One object an index of the axis that the study keeps its records on: the series along it, side by side.
void write_records(Json& json, const Study& study, const Run& run) {
  const std::vector<std::string> axes{study.records};
  std::vector<const Series*> columns;
  for (std::size_t i = 0; i < run.series.size(); ++i) {
    if (study.series[i].axes == axes) columns.push_back(&run.series[i]);
  }
  json.key("records").open('[');
  for (std::size_t row = 0; !columns.empty() && row < columns.front()->shape.front(); ++row) {
    json.open('{');
    for (const Series* column : columns) {
      json.key(column->name);
      if (column->words.empty()) {
        json.number(column->data[row]);
      } else {
        json.text(column->words[row]);
      }
    }
    json.close('}');
  }
  json.close(']');
}

/// A CSV field, quoted when it has to be.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace

std::string describe_json(std::span<const Study* const> studies) {
  Json json;
  json.open('{').key("version").text(version).key("studies").open('[');
  for (const Study* study : studies) write(json, *study);
  return json.close(']').close('}').take();
}

std::string run_json(const Study& study, const Run& run) {
  Json json;
  json.open('{').key("study").text(study.id).key("params").params(run.params.entries()).key("series").open('{');
  for (const Series& s : run.series) {
    json.key(s.name).open('{').key("unit").text(s.unit).key("shape").open('[');
    for (const std::size_t size : s.shape) json.number(static_cast<double>(size));
    json.close(']').key("data");
    if (s.words.empty()) {
      json.open('[');
      for (const double value : s.data) json.number(value);
      json.close(']');
    } else {
      json.texts(s.words);
    }
    json.close('}');
  }
  json.close('}');
  if (!run.code.empty()) json.key("code").text(run.code);
  if (!study.records.empty()) write_records(json, study, run);
  return json.close('}').take();
}

std::string run_csv(const Run& run) {
  std::string out = "series,unit,index,value\n";
  for (const Series& s : run.series) {
    std::vector<std::size_t> index(s.shape.size(), 0);
    const std::size_t count = std::max(s.data.size(), s.words.size());
    for (std::size_t i = 0; i < count; ++i) {
      out.append(s.name).append(",").append(s.unit).append(",");
      for (std::size_t axis = 0; axis < index.size(); ++axis) out.append(axis > 0 ? ";" : "").append(std::to_string(index[axis]));
      out.append(",").append(s.words.empty() ? number_text(s.data[i]) : csv_text(s.words[i])).append("\n");
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < s.shape[axis]) break;
        index[axis] = 0;
      }
    }
  }
  return out;
}

}  // namespace attn
