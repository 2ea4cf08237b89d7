// The declarations of exercises as JSON, for the pages and the command line: what is asked and what may be answered, never a key.
#include "attn/text.hpp"
#include "exercises.hpp"

namespace attn::studies {
namespace {

std::string_view name(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::number: return "number";
    case AnswerKind::choice: return "choice";
    case AnswerKind::several: return "several";
    case AnswerKind::matrix: return "matrix";
  }
  return "number";
}

void text_field(std::string& json, const char* key, std::string_view value) {
  json.append(",\"").append(key).append("\":").append(json_text(value));
}

void number_field(std::string& json, const char* key, std::size_t value) {
  json.append(",\"").append(key).append("\":").append(number_text(static_cast<double>(value)));
}

std::string part_json(const Part& part) {
  std::string json = "{\"id\":" + json_text(part.id);
  text_field(json, "ask", part.ask);
  text_field(json, "kind", name(part.kind));
  if (part.kind == AnswerKind::number) {
    text_field(json, "unit", part.unit);
    text_field(json, "exact", exactness(part));
  } else if (part.kind == AnswerKind::matrix) {
    number_field(json, "rows", part.rows);
    number_field(json, "columns", part.columns);
    json.append(",\"cells\":").append(part.cells ? "true" : "false");
    number_field(json, "first", part.first);
    text_field(json, "rowName", part.row_name);
    text_field(json, "columnName", part.column_name);
    text_field(json, "one", part.one);
    if (!part.cells) text_field(json, "exact", exactness(part));
  } else {
    json += ",\"choices\":[";
    for (const Choice& choice : part.choices) {
      json.append(&choice == &part.choices.front() ? "{\"id\":" : ",{\"id\":").append(json_text(choice.id)).append(",\"label\":").append(json_text(choice.label)).append("}");
    }
    json += "]";
  }
  return json + "}";
}

}  // namespace

std::string exercises_json(std::span<const Exercise* const> exercises) {
  std::string json = "[";
  for (const Exercise* exercise : exercises) {
    json.append(json.size() > 1 ? ",{\"id\":" : "{\"id\":").append(json_text(exercise->id));
    text_field(json, "title", exercise->title);
    text_field(json, "study", exercise->study);
    json += ",\"parts\":[";
    for (const Part& part : exercise->parts) json.append(&part == &exercise->parts.front() ? "" : ",").append(part_json(part));
    json += "]}";
  }
  return json + "]";
}

}  // namespace attn::studies
