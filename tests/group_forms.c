/* group_forms.c: reductions of groups with a value for every option. */
#include "testing.h"

strew_group_reduction group_reduction_of(strew_reduction reduction) {
  static const strew_group_reduction all[] = {[STREW_SUM] = STREW_GROUP_SUM,
                                              [STREW_PROD] = STREW_GROUP_PROD,
                                              [STREW_MEAN] = STREW_GROUP_MEAN,
                                              [STREW_AMAX] = STREW_GROUP_MAX,
                                              [STREW_AMIN] = STREW_GROUP_MIN};
  return reduction == STREW_ASSIGN ? STREW_GROUP_REDUCTION_COUNT : all[reduction];
}

strew_group_reduce_options reduce_options_of(const struct group_form *form) {
  return (strew_group_reduce_options){.dim = &form->dim,
                                      .dim_size = form->dim_size == -1 ? NULL : &form->dim_size,
                                      .mode = form->mode,
                                      .fill = form->fill,
                                      .dtype = form->dtype,
                                      .skip_nan = form->skip_nan};
}

strew_status group_form(strew_groups groups, strew_tensor *src, const struct group_form *form, strew_tensor **out,
                        strew_tensor **arg, strew_error *error) {
  static const struct group_form defaults = GROUP_FORM;
  const struct group_form *given = form ? form : &defaults;
  const strew_group_reduce_options options = reduce_options_of(given);
  return strew_group_reduce(groups, group_reduction_of(given->reduction), src, &options, out, arg, error);
}

strew_status aggregate_forms(strew_grouping *grouping, int count, const struct form_of forms[], strew_tensor *out[],
                             strew_error *error) {
  strew_group_aggregate aggregates[MOST_FORMS];
  for (int i = 0; i < count && i < MOST_FORMS; i++) {
    const bool is_count = !forms[i].src;
    aggregates[i] = (strew_group_aggregate){.src = forms[i].src,
                                            .reduction = is_count ? STREW_GROUP_COUNT
                                                                  : group_reduction_of(forms[i].options.reduction)};
    if (!is_count) aggregates[i].options = reduce_options_of(&forms[i].options);
  }
  return strew_grouping_aggregate_with(grouping, count, aggregates, out, error);
}
