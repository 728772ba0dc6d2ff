-- sql_templates.lua: aggregates of SQL that others make, as SQL.
local templates = {
  sem = {args = {"x"}, text = "stddev_pop(x) / sqrt(count(x))"},
  countif = {args = {"c"}, text = "sum(case when c then 1 when not c then 0 end)"},
  regr_count = {args = {"y", "x"}, text = "count(case when y is not null then x end)"},
  regr_avgx = {args = {"y", "x"}, text = "avg(case when y is not null then x end)"},
  regr_avgy = {args = {"y", "x"}, text = "avg(case when x is not null then y end)"},
  regr_sxx = {args = {"y", "x"}, text = "regr_count(y, x) * var_pop(case when y is not null then x end)"},
  regr_syy = {args = {"y", "x"}, text = "regr_count(y, x) * var_pop(case when x is not null then y end)"},
  regr_sxy = {args = {"y", "x"}, text = "regr_count(y, x) * covar_pop(y, x)"},
  regr_slope = {args = {"y", "x"}, text = "covar_pop(y, x) / var_pop(case when y is not null then x end)"},
  regr_intercept = {args = {"y", "x"}, text = "regr_avgy(y, x) - regr_slope(y, x) * regr_avgx(y, x)"},
}
templates.count_if = templates.countif
return templates
