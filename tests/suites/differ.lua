-- differ.lua: queries whose results are others by a rule of strew: {FILE, a part of the query, the rule}.
return {
  {"slt_lang_aggfunc.test", "y) FROM t1", "sums and means of words are errors, SQLite reads the words as numbers"},
  {"test_quantile_cont.test", "d::decimal(", "there are no decimals: quantiles of numbers are not rounded"},
  {"test_skewness.test", "skewness (10)", "the skewness of equal numbers is 0, as pandas'"},
  {"reductions.duckdb.test", "WHERE NOT (i < j) GROUP BY j % 3", "the skewness of equal numbers is 0, as pandas'"},
  {"test_stddev.test", "(1e301), (-1e301)", "a deviation that float64 holds is finite"},
  {"test_sum.test", "SUM(b) FROM bigints", "a sum that int64 cannot hold is an error"},
  {"test_asof_join_varchar.test", "ASOF", "asof takes numbers and times"},
}
