// The series of Additive scoring, as a table. See additive_series.hpp.
#include "additive_series.hpp"

#include "series_table.hpp"

namespace attn::studies {
namespace {

constexpr SeriesRow rows[] = {
    {"queries", "queries", "queries,query width"},
    {"keys", "keys", "keys,key width"},
    {"w_q", "map of the queries, times epsilon", "units,query width"},
    {"w_k", "map of the keys, times epsilon", "units,key width"},
    {"w_v", "weight of each hidden unit in the score", "units"},
    {"query_parts", "what a query adds to each unit's argument", "queries,units"},
    {"key_parts", "what a key adds to each unit's argument", "keys,units"},
    {"features", "activation of each unit for each pair", "queries,keys,units"},
    {"contributions", "activation times the unit's weight; a pair's contributions sum to its score", "queries,keys,units"},
    {"hidden_curve_x", "a key's part of a unit's argument", "points"},
    {"hidden_curves", "contribution of each unit against the key's part, for each query", "queries,units,points"},
    {"scores", "scores", "queries,keys"},
    {"weights", "weights, in double", "queries,keys"},
    {"weights_text", "weights as the framework prints them where its roundings are known, else with four decimals", "queries,keys", "", true},
    {"as_printed", "1 where the texts are the framework's"},
    {"chosen_score", "score of the chosen query and key"},
    {"chosen_weight", "weight of the chosen query and key"},
    {"row_difference", "largest difference between two queries' weights at one key"},
    {"eps", "factor of both maps", "factors"},
    {"eps_difference", "row difference at each factor, with the tanh", "factors"},
    {"predicted_line", "leading term of the row difference, a constant times the factor cubed", "factors"},
    {"predicted_slope", "power of the factor in the leading term"},
    {"fitted_slope", "fitted power over the range of the fit; NaN where no rows differ"},
    {"fit_range", "least and greatest factor of the fit", "ends"},
    {"asked_eps", "factors of exercise 11.3", "asked"},
    {"asked_difference", "row difference at those factors", "asked"},
    {"asked_slopes", "power between neighbours of those factors", "asked steps"},
    {"identity_difference", "row difference with the identity in place of the tanh, at the chosen factor"},
    {"rule_names", "scoring rules whose costs are counted", "rules", "", true},
    {"parameters", "parameters of each rule", "rules"},
    {"operations", "floating-point operations of all scores", "rules"},
    {"largest_intermediate", "entries of the largest tensor between the inputs and the weights", "rules"},
    {"cost_formulas", "formulas of parameters, operations and largest tensor", "rules,counts", "", true},
    {"order_names", "evaluation orders of the bilinear score", "orders", "", true},
    {"order_steps", "operations of the first and of the second product of each order", "orders,products"},
    {"order_operations", "operations of each order", "orders"},
    {"order_rule", "1/m + 1/d_q and 1/n + 1/d_k: the smaller names the cheaper order", "orders"},
    {"cheaper", "the cheaper order, 0 or 1"},
    {"ranks", "ranks", "ranks"},
    {"rank_parameters", "parameters of the two factors at each rank", "ranks"},
    {"bilinear_parameters", "parameters of the whole matrix"},
    {"low_rank_parameters", "parameters of the two factors at the chosen rank"},
    {"break_even_rank", "rank at which both have the same number of parameters"},
    {"largest_saving_rank", "greatest rank with fewer parameters than the whole matrix; 0 if there is none"},
    {"rank_bound", "greatest rank that the product of the factors can have"},
    {"variance_ranks", "ranks whose score variance is measured", "variance ranks"},
    {"rank_variance", "sample variance of the factored score", "variance ranks"},
    {"rank_variance_se", "its standard error", "variance ranks"},
    {"rank_variance_scaled", "sample variance of the factored score divided by the root of the rank", "variance ranks"},
    {"rank_variance_scaled_se", "its standard error", "variance ranks"},
    {"variance_draws", "draws behind each variance"},
    {"score_variance", "sample variance of the factored score at the chosen rank"},
    {"score_variance_se", "its standard error"},
    {"predicted_variance", "variance of the factored score at the chosen rank"},
    {"scaled_variance", "sample variance after division by the root of the rank"},
    {"scaled_variance_se", "its standard error"},
    {"score_factor", "factor that takes the place of one over the root of the width"},
};

}  // namespace

std::vector<SeriesInfo> additive_series() { return series_table(rows); }

}  // namespace attn::studies
