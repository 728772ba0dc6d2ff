/* check_view.c: every view against index arithmetic written down here: the element at each coordinate, shared storage,
   the shapes that `view` takes, every error. */
#include "testing.h"

/* ------------------------------------------------------------------------------------------- index arithmetic */

/* A shape and its mapping: coordinate at[d] moves dimension source[d] (-1: none) of the viewed tensor by step[d], from
   `start` on. */
struct mapping {
  int rank;
  int64_t sizes[STREW_MAX_RANK], step[STREW_MAX_RANK], start[STREW_MAX_RANK];
  int source[STREW_MAX_RANK];
};

static struct mapping identity_of(const strew_tensor *tensor) {
  struct mapping map = {.rank = strew_tensor_rank(tensor)};
  for (int d = 0; d < map.rank; d++) {
    map.sizes[d] = strew_tensor_sizes(tensor)[d];
    map.source[d] = d;
    map.step[d] = 1;
  }
  return map;
}

static void insert_dim(struct mapping *map, int at, int64_t size) {
  for (int d = map->rank++; d > at; d--) {
    map->sizes[d] = map->sizes[d - 1], map->step[d] = map->step[d - 1], map->source[d] = map->source[d - 1];
  }
  map->sizes[at] = size, map->step[at] = 0, map->source[at] = -1;
}

static void remove_dim(struct mapping *map, int at) {
  map->rank--;
  for (int d = at; d < map->rank; d++) {
    map->sizes[d] = map->sizes[d + 1], map->step[d] = map->step[d + 1], map->source[d] = map->source[d + 1];
  }
}

static void swap_dims(struct mapping *map, int a, int b) {
  struct mapping old = *map;
  map->sizes[a] = old.sizes[b], map->step[a] = old.step[b], map->source[a] = old.source[b];
  map->sizes[b] = old.sizes[a], map->step[b] = old.step[a], map->source[b] = old.source[a];
}

/* Returns the row-major position in the viewed tensor of the view's i-th element. */
static int64_t mapped_place(const struct mapping *map, const strew_tensor *viewed, int64_t i) {
  int64_t at[STREW_MAX_RANK], from[STREW_MAX_RANK], place = 0;
  coordinates(i, map->rank, map->sizes, at);
  memcpy(from, map->start, sizeof from);
  for (int d = 0; d < map->rank; d++)
    if (map->source[d] >= 0) from[map->source[d]] += at[d] * map->step[d];
  for (int d = 0; d < strew_tensor_rank(viewed); d++) place = place * strew_tensor_sizes(viewed)[d] + from[d];
  return place;
}

/* Returns the expected elements at all coordinates; the caller frees them. */
static int64_t *mapped_elements(const struct mapping *map, const strew_tensor *viewed) {
  int64_t count = count_of(map->rank, map->sizes), *held = host_of(viewed);
  int64_t *expected = malloc((size_t)(count + 1) * sizeof *expected);
  for (int64_t i = 0; i < count; i++) expected[i] = held[mapped_place(map, viewed, i)];
  free(held);
  return expected;
}

/* A number written through the view appears in the viewed tensor, and no storage was allocated. */
static void expect_shared(strew_tensor *view, strew_tensor *viewed, const struct mapping *map, size_t bytes_before) {
  int64_t count = count_of(map->rank, map->sizes), from[STREW_MAX_RANK], at[STREW_MAX_RANK];
  strew_scalar before, now;
  ck_assert_uint_eq(strew_context_bytes(context), bytes_before);
  if (!count) return;
  int64_t i = draw_below(count);
  coordinates(i, map->rank, map->sizes, at);
  coordinates(mapped_place(map, viewed, i), strew_tensor_rank(viewed), strew_tensor_sizes(viewed), from);
  ok(strew_get(view, map->rank, at, &before, &failure));
  ok(strew_set(view, map->rank, at, strew_int(-1), &failure));
  ok(strew_get(viewed, strew_tensor_rank(viewed), from, &now, &failure));
  if (now.as.i != -1) ck_abort_msg("a number written through the view does not appear in the viewed tensor");
  ok(strew_set(view, map->rank, at, before, &failure));
}

/* Checks a view element by element, through its strides and through the library's reading; releases it. */
static void expect_view(strew_tensor *view, strew_tensor *viewed, const struct mapping *map, size_t bytes_before,
                        const char *what) {
  assert_sizes(view, map->rank, map->sizes);
  expect_shared(view, viewed, map, bytes_before);
  int64_t *expected = mapped_elements(map, viewed), count = count_of(map->rank, map->sizes);
  assert_elements(view, STREW_INT64, expected, "%s", what);
  int64_t *read = malloc((size_t)(count + 1) * sizeof *read);
  ok(strew_read(view, read, (size_t)count * sizeof *read, &failure));
  if (memcmp(read, expected, (size_t)count * sizeof *read) != 0)
    ck_abort_msg("%s reads other elements than its strides say", what);
  free(read), free(expected);
  strew_release(view);
}

/* A tensor of distinct elements (unless an expanded one repeats them): rank 0 to 5, or many more with small sizes; some
   are empty, size 1 is frequent. */
static strew_tensor *draw_viewed(int most_dims) {
  int rank = (int)draw_below(most_dims < 5 ? most_dims + 1 : 6);
  int64_t sizes[STREW_MAX_RANK];
  bool many = draw_below(8) == 0;
  if (many) rank = most_dims;
  for (int d = 0; d < rank; d++) sizes[d] = many ? 1 + (draw_below(4) == 0) : 1 + draw_below(4) * draw_below(2);
  if (rank && draw_below(8) == 0) sizes[draw_below(rank)] = 0;
  enum layout layout = (enum layout)draw_below(LAYOUT_COUNT);
  if (many && layout == STRIDED) layout = PERMUTED; /* gaps in this number of dimensions would use too much memory */
  return random_integers(STREW_INT64, rank, sizes, layout, 0, 1ll << 60);
}

/* A dimension as callers may pass it: also negative. */
static int named(int dim, int rank) { return draw_below(2) ? dim : dim - rank; }

/* ------------------------------------------------------------------------------------- views described by a mapping */

static strew_tensor *make_permuted(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int64_t dims[STREW_MAX_RANK];
  for (int d = map->rank - 1; d > 0; d--) swap_dims(map, d, (int)draw_below(d + 1));
  for (int d = 0; d < map->rank; d++) dims[d] = named(map->source[d], map->rank);
  ok(strew_permute(t, map->rank, dims, &view, &failure));
  return view;
}

static strew_tensor *make_transposed(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int rank = map->rank ? map->rank : 1, a = (int)draw_below(rank), b = (int)draw_below(rank);
  ok(strew_transpose(t, named(a, rank), named(b, rank), &view, &failure));
  if (map->rank) swap_dims(map, a, b);
  return view;
}

static strew_tensor *make_t(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  ok(strew_t(t, &view, &failure));
  if (map->rank == 2) swap_dims(map, 0, 1);
  return view;
}

static strew_tensor *make_squeezed(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int rank = map->rank ? map->rank : 1, dim = (int)draw_below(rank), name = named(dim, rank);
  bool all = draw_below(3) == 0;
  ok(strew_squeeze(t, !all, all ? NULL : (int64_t[]){name}, &view, &failure));
  for (int d = map->rank - 1; d >= 0; d--)
    if (map->sizes[d] == 1 && (all || d == dim)) remove_dim(map, d);
  return view;
}

static strew_tensor *make_unsqueezed(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int dim = (int)draw_below(map->rank + 1);
  bool contiguous = strew_tensor_is_contiguous(t);
  ok(strew_unsqueeze(t, named(dim, map->rank + 1), &view, &failure));
  ck_assert_int_eq(strew_tensor_is_contiguous(view), contiguous);
  insert_dim(map, dim, 1);
  return view;
}

static strew_tensor *make_expanded(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int64_t wanted[STREW_MAX_RANK];
  for (int added = (int)draw_below(3); added > 0 && map->rank < STREW_MAX_RANK; added--) insert_dim(map, 0, 1);
  for (int d = 0; d < map->rank; d++) {
    bool grows = map->sizes[d] == 1 && draw_below(3) == 0;
    if (grows) map->sizes[d] = draw_below(4), map->step[d] = 0;
    wanted[d] = !grows && map->source[d] >= 0 && draw_below(2) ? -1 : map->sizes[d];
  }
  ok(strew_expand(t, map->rank, wanted, &view, &failure));
  return view;
}

static strew_tensor *make_selected(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int dim = (int)draw_below(map->rank);
  int64_t size = map->sizes[dim], position = draw_below(size);
  ok(strew_select(t, named(dim, map->rank), draw_below(2) ? position : position - size, &view, &failure));
  remove_dim(map, dim);
  map->start[dim] = position;
  return view;
}

static strew_tensor *make_narrowed(strew_tensor *t, struct mapping *map) {
  strew_tensor *view = NULL;
  int dim = (int)draw_below(map->rank);
  int64_t size = map->sizes[dim], start = draw_below(size + 1), length = draw_below(size - start + 1);
  bool from_end = start < size && draw_below(2);
  ok(strew_narrow(t, named(dim, map->rank), from_end ? start - size : start, length, &view, &failure));
  map->sizes[dim] = length;
  map->start[dim] = start;
  return view;
}

/* The positions of start:stop:step, found by trying all positions. */
static strew_tensor *make_sliced(strew_tensor *t, struct mapping *map) {
  static const int64_t far[] = {INT64_MIN, INT64_MAX};
  strew_tensor *view = NULL;
  int dim = (int)draw_below(map->rank);
  int64_t size = map->sizes[dim], ends[2], step = draw_below(8) ? 1 + draw_below(size + 2) : INT64_MAX;
  for (int e = 0; e < 2; e++) ends[e] = draw_below(8) ? draw_below(2 * size + 5) - size - 2 : far[draw_below(2)];
  ok(strew_slice(t, named(dim, map->rank), ends[0], ends[1], step, &view, &failure));
  map->sizes[dim] = 0;
  map->step[dim] = step;
  for (int e = 0; e < 2; e++) ends[e] = ends[e] >= 0 ? ends[e] : ends[e] < -size ? 0 : ends[e] + size;
  for (int64_t at = 0; at < size; at++) {
    if (at < ends[0] || at >= ends[1] || (at - ends[0]) % step) continue;
    if (map->sizes[dim]++ == 0) map->start[dim] = at;
  }
  return view;
}

static const struct {
  const char *name;
  strew_tensor *(*make)(strew_tensor *t, struct mapping *map);
  int most_dims;   /* the number of positions */
  bool needs_dims; /* of size 1 or more, to take a part of */
} views[] = {{"permute", make_permuted, STREW_MAX_RANK, false},
             {"transpose", make_transposed, STREW_MAX_RANK, false},
             {"t", make_t, 2, false},
             {"squeeze", make_squeezed, STREW_MAX_RANK, false},
             {"unsqueeze", make_unsqueezed, STREW_MAX_RANK - 1, false},
             {"expand", make_expanded, STREW_MAX_RANK, false},
             {"select", make_selected, STREW_MAX_RANK, true},
             {"narrow", make_narrowed, STREW_MAX_RANK, true},
             {"slice", make_sliced, STREW_MAX_RANK, true}};
enum { VIEWS = sizeof views / sizeof *views };

static bool suits(int kind, const strew_tensor *tensor) {
  return !views[kind].needs_dims || (strew_tensor_rank(tensor) && strew_tensor_numel(tensor));
}

START_TEST(views_match_index_arithmetic) {
  for (int n = 0; n < 400; n++) {
    strew_tensor *viewed = draw_viewed(views[_i].most_dims);
    size_t bytes = strew_context_bytes(context);
    struct mapping map = identity_of(viewed);
    if (suits(_i, viewed)) expect_view(views[_i].make(viewed, &map), viewed, &map, bytes, views[_i].name);
    strew_release(viewed);
  }
}
END_TEST

/* Each step is checked against the tensor it was taken from, which is released first: the storage stays. */
START_TEST(views_of_views) {
  seed_draws((uint64_t)_i + 1);
  strew_tensor *viewed = draw_viewed(5);
  for (int n = 0; n < 12; n++) {
    int kind = (int)draw_below(VIEWS);
    if (!suits(kind, viewed) || strew_tensor_rank(viewed) > views[kind].most_dims) continue;
    if (strew_tensor_numel(viewed) > 3000) break;
    struct mapping map = identity_of(viewed);
    size_t bytes = strew_context_bytes(context);
    strew_tensor *view = views[kind].make(viewed, &map);
    expect_view(strew_retain(view), viewed, &map, bytes, views[kind].name);
    strew_release(viewed);
    viewed = view;
  }
  strew_release(viewed);
}
END_TEST

/* A dense tensor with one more dimension has the strides of a dense tensor. */
START_TEST(unsqueezed_strides) {
  static const int64_t strides[][3] = {{6, 3, 1}, {3, 3, 1}, {3, 1, 1}};
  strew_tensor *t = random_tensor(STREW_INT16, 2, (const int64_t[]){2, 3}, CONTIGUOUS), *view = NULL;
  ok(strew_unsqueeze(t, _i, &view, &failure));
  ck_assert_mem_eq(strew_tensor_strides(view), strides[_i], sizeof strides[_i]);
  strew_release(t), strew_release(view);
}
END_TEST

/* Parts of an empty dimension are empty; parts of [2, 0] along its first dimension have shapes of their own. */
START_TEST(parts_of_empty_tensors) {
  const int64_t sizes[] = {3, 0, 2};
  strew_tensor *t = random_tensor(STREW_INT8, 3, sizes, CONTIGUOUS), *view = NULL;
  ok(strew_select(t, 0, -1, &view, &failure));
  assert_sizes(view, 2, sizes + 1);
  strew_release(view), view = NULL;
  ok(strew_narrow(t, 1, 0, 0, &view, &failure));
  assert_sizes(view, 3, sizes);
  strew_release(view), view = NULL;
  ok(strew_slice(t, 2, 1, INT64_MAX, 1, &view, &failure));
  assert_sizes(view, 3, (int64_t[]){3, 0, 1});
  strew_release(view), strew_release(t);
}
END_TEST

/* -------------------------------------------------------------------------------------- view, reshape, flatten */

/* Returns the storage offsets of all elements in row-major order; the caller frees them. */
static int64_t *offsets_of(const strew_tensor *tensor) {
  int64_t count = strew_tensor_numel(tensor), *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
  for (int64_t i = 0; i < count; i++) offsets[i] = offset_of(tensor, i);
  return offsets;
}

/* True if strides for these offsets exist under other sizes. Each stride is the step from the first element to its
   neighbour; then all others have to fit. */
static bool has_strides(const int64_t *offsets, int rank, const int64_t *sizes) {
  int64_t count = count_of(rank, sizes), strides[STREW_MAX_RANK] = {0}, at[STREW_MAX_RANK], step = count;
  for (int d = 0; d < rank && count; d++) {
    step /= sizes[d];
    if (sizes[d] > 1) strides[d] = offsets[step] - offsets[0];
  }
  for (int64_t i = 0; i < count; i++) {
    int64_t offset = offsets[0];
    coordinates(i, rank, sizes, at);
    for (int d = 0; d < rank; d++) offset += at[d] * strides[d];
    if (offset != offsets[i]) return false;
  }
  return true;
}

/* Another shape of as many elements: random factors, with some sizes of 1. */
static int draw_shape(int64_t count, int64_t *sizes) {
  int rank = 0;
  if (count == 0) sizes[rank++] = 0;
  while (count > 1 && rank < STREW_MAX_RANK - 1) {
    int64_t factor = 2 + draw_below(5);
    if (draw_below(6) == 0)
      sizes[rank++] = 1;
    else if (count % factor == 0)
      sizes[rank++] = factor, count /= factor;
    else if (draw_below(12) == 0)
      sizes[rank++] = count, count = 1;
  }
  if (count > 1) sizes[rank++] = count;
  if (rank < STREW_MAX_RANK && draw_below(4) == 0) sizes[rank++] = 1;
  return rank;
}

/* Replaces one size by -1, to be inferred. */
static void open_one_size(int rank, const int64_t *sizes, int64_t *wanted) {
  if (rank) memcpy(wanted, sizes, (size_t)rank * sizeof *sizes);
  if (rank && draw_below(2) && count_of(rank, sizes)) wanted[draw_below(rank)] = -1;
}

static void check_reshape(strew_tensor *tensor, int rank, const int64_t *sizes, bool fits) {
  int64_t wanted[STREW_MAX_RANK], *held = host_of(tensor);
  size_t bytes = strew_context_bytes(context);
  strew_tensor *out = NULL;
  open_one_size(rank, sizes, wanted);
  ok(strew_reshape(tensor, rank, wanted, &out, &failure));
  assert_sizes(out, rank, sizes);
  assert_elements(out, STREW_INT64, held, "reshape");
  bool shares = strew_context_bytes(context) == bytes;
  if (shares != fits) ck_abort_msg("reshape %s where it %s", shares ? "shares" : "copies", fits ? "could" : "cannot");
  strew_release(out);
  free(held);
}

static void check_view(strew_tensor *tensor, int rank, const int64_t *sizes, bool fits) {
  int64_t wanted[STREW_MAX_RANK];
  size_t bytes = strew_context_bytes(context);
  strew_tensor *out = NULL;
  open_one_size(rank, sizes, wanted);
  clear_failure();
  strew_status status = strew_view(tensor, rank, wanted, &out, &failure);
  if ((status == STREW_OK) != fits) ck_abort_msg("a view is %s: %s", fits ? "refused" : "made", failure.message);
  ck_assert_uint_eq(strew_context_bytes(context), bytes);
  if (!out) return;
  int64_t *held = host_of(tensor), *is = offsets_of(out), *expected = offsets_of(tensor);
  assert_sizes(out, rank, sizes);
  assert_elements(out, STREW_INT64, held, "view");
  for (int64_t i = 0; i < strew_tensor_numel(tensor); i++)
    if (is[i] != expected[i]) ck_abort_msg("element %d of a view has the wrong offset", (int)i);
  strew_release(out);
  free(held), free(is), free(expected);
}

START_TEST(other_shapes) {
  seed_draws((uint64_t)_i + 1);
  int made = 0;
  for (int n = 0; n < 600; n++) {
    strew_tensor *tensor = draw_viewed(STREW_MAX_RANK);
    int64_t sizes[STREW_MAX_RANK], *offsets = offsets_of(tensor);
    int rank = draw_shape(strew_tensor_numel(tensor), sizes);
    bool fits = has_strides(offsets, rank, sizes);
    check_view(tensor, rank, sizes, fits);
    check_reshape(tensor, rank, sizes, fits);
    made += fits;
    strew_release(tensor);
    free(offsets);
  }
  ck_assert(made > 100 && made < 580); /* both happen often */
}
END_TEST

/* A tensor of few elements with any strides, which repeat and overlap. */
START_TEST(other_shapes_of_odd_strides) {
  const int64_t length = 60;
  strew_tensor *base = random_integers(STREW_INT64, 1, &length, CONTIGUOUS, 0, 1ll << 60);
  seed_draws((uint64_t)_i + 1);
  for (int n = 0; n < 1500; n++) {
    int64_t sizes[4], strides[4], other[STREW_MAX_RANK];
    int rank = 1 + (int)draw_below(4);
    for (int d = 0; d < rank; d++) sizes[d] = 1 + draw_below(3), strides[d] = draw_below(8);
    strew_tensor *tensor = NULL;
    ok(strew_as_strided(base, rank, sizes, strides, draw_below(2), &tensor, &failure));
    int64_t *offsets = offsets_of(tensor);
    int other_rank = draw_shape(strew_tensor_numel(tensor), other);
    check_view(tensor, other_rank, other, has_strides(offsets, other_rank, other));
    strew_release(tensor);
    free(offsets);
  }
  strew_release(base);
}
END_TEST

START_TEST(flattened) {
  for (int n = 0; n < 400; n++) {
    strew_tensor *tensor = draw_viewed(STREW_MAX_RANK), *out = NULL;
    int rank = strew_tensor_rank(tensor), counted = rank ? rank : 1, merged = 0;
    int first = (int)draw_below(counted), last = first + (int)draw_below(counted - first);
    int64_t sizes[STREW_MAX_RANK + 1], *held = host_of(tensor), between = 1;
    for (int d = 0; d < first; d++) sizes[merged++] = strew_tensor_sizes(tensor)[d];
    for (int d = first; d <= last && d < rank; d++) between *= strew_tensor_sizes(tensor)[d];
    sizes[merged++] = between;
    for (int d = last + 1; d < rank; d++) sizes[merged++] = strew_tensor_sizes(tensor)[d];
    ok(strew_flatten(tensor, named(first, counted), named(last, counted), &out, &failure));
    assert_sizes(out, merged, sizes);
    assert_elements(out, STREW_INT64, held, "flatten");
    strew_release(out), strew_release(tensor);
    free(held);
  }
}
END_TEST

/* An empty tensor fits any strides. */
START_TEST(empty_tensors_take_any_empty_shape) {
  const int64_t sizes[] = {0, 6}, shapes[][3] = {{0}, {5, 0}, {0, 3, 2}};
  strew_tensor *t = random_tensor(STREW_FLOAT32, 2, sizes, CONTIGUOUS), *thin = NULL;
  ok(strew_slice(t, 1, 0, 6, 2, &thin, &failure));
  ck_assert(strew_tensor_is_contiguous(thin));
  for (int rank = 1; rank <= 3; rank++) {
    strew_tensor *view = NULL;
    ok(strew_view(thin, rank, shapes[rank - 1], &view, &failure));
    assert_sizes(view, rank, shapes[rank - 1]);
    strew_release(view);
  }
  strew_release(t), strew_release(thin);
}
END_TEST

/* ------------------------------------------------------------------------------------------------- as_strided */

START_TEST(strided_anyhow) {
  const int64_t length = 64;
  int64_t places[64];
  for (int i = 0; i < 64; i++) places[i] = i;
  strew_tensor *base = tensor_from_integers(STREW_INT64, length, places);
  int made = 0;
  for (int n = 0; n < 2000; n++) {
    int64_t sizes[STREW_MAX_RANK], strides[STREW_MAX_RANK], last = 0, offset = draw_below(80) - 2;
    int rank = (int)draw_below(draw_below(8) ? 4 : STREW_MAX_RANK + 1);
    for (int d = 0; d < rank; d++) {
      sizes[d] = draw_below(16) ? 1 + draw_below(4) : 0;
      if (rank > 4) sizes[d] = 1 + (draw_below(4) == 0);
      strides[d] = draw_below(12) - (draw_below(60) == 0);
    }
    bool negative = false, empty = count_of(rank, sizes) == 0;
    for (int d = 0; d < rank; d++) last += (sizes[d] - 1) * strides[d], negative |= strides[d] < 0;
    bool fits = !negative && offset >= 0 && (empty ? offset <= length : offset + last < length);
    strew_tensor *view = NULL;
    clear_failure();
    strew_status status = strew_as_strided(base, rank, sizes, strides, offset, &view, &failure);
    if ((status == STREW_OK) != fits) ck_abort_msg("as_strided %s: %s", fits ? "fails" : "works", failure.message);
    if (!view) continue;
    made++;
    int64_t *held = offsets_of(view);
    assert_sizes(view, rank, sizes);
    if (rank) ck_assert_mem_eq(strew_tensor_strides(view), strides, (size_t)rank * sizeof *strides);
    assert_elements(view, STREW_INT64, held, "as_strided");
    strew_release(view);
    free(held);
  }
  ck_assert(made > 300);
  strew_release(base);
}
END_TEST

/* From a view, too, the whole storage can be reached. */
START_TEST(strided_from_a_part) {
  strew_tensor *base = tensor_from_integers(STREW_INT32, 4, (const int64_t[]){1, 2, 3, 4}), *part = NULL, *view = NULL;
  ok(strew_narrow(base, 0, 2, 1, &part, &failure));
  ck_assert_int_eq(strew_tensor_offset(part), 2);
  ok(strew_as_strided(part, 1, (const int64_t[]){4}, (const int64_t[]){1}, 0, &view, &failure));
  strew_release(base), strew_release(part);
  assert_elements(view, STREW_INT32, (int32_t[]){1, 2, 3, 4}, "as_strided of a part");
  strew_release(view);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- errors */

#define SELF "\n  self  int64[2, 3] cpu"
static strew_tensor *matrix(void) {
  return random_integers(STREW_INT64, 2, (const int64_t[]){2, 3}, CONTIGUOUS, 0, 100);
}

START_TEST(view_errors) {
  strew_tensor *t = matrix(), *turned = NULL, *out = NULL;
  const int64_t large[] = {1ll << 40, 1ll << 40}, huge[] = {0, 1ll << 40, 1ll << 40}, none = 0;
  ok(strew_t(t, &turned, &failure));
  assert_fails(strew_view(t, 1, (const int64_t[]){5}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [5], which does not hold the 6 elements of self" SELF);
  assert_fails(strew_view(t, 2, (const int64_t[]){4, -1}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [4, -1], which does not hold the 6 elements of self" SELF);
  assert_fails(strew_view(t, 2, (const int64_t[]){-1, -1}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [-1, -1], expected sizes of 0 or more, one of which may be -1" SELF);
  assert_fails(strew_view(t, 2, (const int64_t[]){6, -2}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [6, -2], expected sizes of 0 or more, one of which may be -1" SELF);
  assert_fails(strew_view(t, 2, large, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [1099511627776, 1099511627776], more than can be addressed" SELF);
  assert_fails(strew_view(t, 2, (const int64_t[]){0, -1}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [0, -1]: -1 is ambiguous beside a size of 0" SELF);
  assert_fails(strew_view(t, 17, (const int64_t[17]){0}, &out, &failure), STREW_ESHAPE,
               "view: 'shape' has 17 dimensions, valid 0..16" SELF);
  assert_fails(strew_view(turned, 1, (const int64_t[]){6}, &out, &failure), STREW_ESHAPE,
               "view: 'self' has strides that do not allow a view of the new shape\n"
               "  self  int64[3, 2] cpu\n"
               "  hint  strew_reshape(self, ...) copies where it must");
  strew_release(t), strew_release(turned);
  t = random_tensor(STREW_INT64, 1, &none, CONTIGUOUS);
  assert_fails(strew_view(t, 3, huge, &out, &failure), STREW_ESHAPE,
               "view: 'shape' is [0, 1099511627776, 1099511627776], more bytes than can be addressed\n"
               "  self  int64[0] cpu");
  ck_assert_ptr_null(out);
  strew_release(t);
}
END_TEST

START_TEST(reshape_and_flatten_errors) {
  strew_tensor *t = matrix(), *out = NULL;
  assert_fails(strew_reshape(t, 1, (const int64_t[]){7}, &out, &failure), STREW_ESHAPE,
               "reshape: 'shape' is [7], which does not hold the 6 elements of self" SELF);
  assert_fails(strew_flatten(t, 1, 0, &out, &failure), STREW_ESHAPE,
               "flatten: 'end_dim' is dim 0, expected start_dim, dim 1, or a later one" SELF);
  assert_fails(strew_flatten(t, 2, -1, &out, &failure), STREW_ESHAPE,
               "flatten: 'start_dim' is 2, out of range for 2 dimensions (valid -2..1)" SELF);
  assert_fails(strew_flatten(t, 0, -3, &out, &failure), STREW_ESHAPE,
               "flatten: 'end_dim' is -3, out of range for 2 dimensions (valid -2..1)" SELF);
  ck_assert_ptr_null(out);
  strew_release(t);
}
END_TEST

START_TEST(errors_of_order) {
  strew_tensor *t = matrix(), *cube = random_tensor(STREW_BOOL, 3, (const int64_t[]){1, 2, 1}, CONTIGUOUS), *out = NULL;
  assert_fails(strew_permute(t, 1, (const int64_t[]){0}, &out, &failure), STREW_ESHAPE,
               "permute: 'dims' has 1 entry, self has 2 dimensions" SELF);
  assert_fails(strew_permute(t, 2, (const int64_t[]){1, -1}, &out, &failure), STREW_ESHAPE,
               "permute: 'dims' is [1, -1], expected each of 0..1 once" SELF);
  assert_fails(strew_permute(t, 2, (const int64_t[]){0, 2}, &out, &failure), STREW_ESHAPE,
               "permute: 'dims' is [0, 2], expected each of 0..1 once" SELF);
  assert_fails(strew_permute(t, 2, (const int64_t[]){INT64_MIN, 0}, &out, &failure), STREW_ESHAPE,
               "permute: 'dims' is [-9223372036854775808, 0], expected each of 0..1 once" SELF);
  assert_fails(strew_transpose(t, 0, 2, &out, &failure), STREW_ESHAPE,
               "transpose: 'dim1' is 2, out of range for 2 dimensions (valid -2..1)" SELF);
  ck_assert_int_eq(failure.value.as.i, 2);
  assert_fails(strew_transpose(t, -3, 0, &out, &failure), STREW_ESHAPE,
               "transpose: 'dim0' is -3, out of range for 2 dimensions (valid -2..1)" SELF);
  assert_fails(strew_t(cube, &out, &failure), STREW_ESHAPE,
               "t: 'self' has 3 dimensions, expected at most 2\n"
               "  self  bool[1, 2, 1] cpu\n"
               "  hint  strew_transpose(self, a, b) or strew_permute(self, ...)");
  ck_assert_ptr_null(out);
  strew_release(t), strew_release(cube);
}
END_TEST

START_TEST(errors_of_sizes_1) {
  int64_t ones[16], dim_sizes[] = {2, 4};
  for (int d = 0; d < 16; d++) ones[d] = 1;
  strew_tensor *t = matrix(), *full = random_tensor(STREW_INT8, 16, ones, CONTIGUOUS), *out = NULL;
  strew_tensor *scalar = scalar_tensor(STREW_INT8, strew_int(1));
  assert_fails(strew_squeeze(t, 1, (int64_t[]){2}, &out, &failure), STREW_ESHAPE,
               "squeeze: 'dim' is 2, out of range for 2 dimensions (valid -2..1)" SELF);
  assert_fails(strew_squeeze(scalar, 1, (int64_t[]){1}, &out, &failure), STREW_ESHAPE,
               "squeeze: 'dim' is 1, out of range for 0 dimensions (valid -1..0)\n  self  int8[] cpu");
  assert_fails(strew_squeeze(t, 2, (int64_t[]){0, -2}, &out, &failure), STREW_ESHAPE,
               "squeeze: 'dim' names dimension 0 twice" SELF);
  assert_fails(strew_unsqueeze(t, 3, &out, &failure), STREW_ESHAPE,
               "unsqueeze: 'dim' is 3, out of range for 3 dimensions (valid -3..2)" SELF);
  assert_fails(strew_unsqueeze(full, 0, &out, &failure), STREW_ESHAPE,
               "unsqueeze: 'self' has 16 dimensions, the largest rank\n"
               "  self  int8[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] cpu");
  assert_fails(strew_expand(t, 1, dim_sizes, &out, &failure), STREW_ESHAPE,
               "expand: 'shape' has 1 dimension, valid 2..16" SELF);
  assert_fails(strew_expand(t, 2, dim_sizes, &out, &failure), STREW_ESHAPE,
               "expand: 'shape' is [2, 4]: dimension 1 of size 3 cannot become 4, only size 1 expands" SELF);
  assert_fails(strew_expand(t, 3, (const int64_t[]){-1, 2, 3}, &out, &failure), STREW_ESHAPE,
               "expand: 'shape' is [-1, 2, 3]: dimension 0 of size 1 cannot become -1, only size 1 expands" SELF);
  assert_fails(strew_expand(scalar, 2, (const int64_t[]){1ll << 62, 4}, &out, &failure), STREW_ESHAPE,
               "expand: 'shape' is [4611686018427387904, 4], more bytes than can be addressed\n  self  int8[] cpu");
  ck_assert_ptr_null(out);
  strew_release(t), strew_release(full), strew_release(scalar);
}
END_TEST

START_TEST(select_errors) {
  strew_tensor *t = matrix(), *scalar = scalar_tensor(STREW_INT8, strew_int(1)), *out = NULL;
  assert_fails(strew_select(t, 1, -4, &out, &failure), STREW_EINDEX,
               "select: 'position' -4 is out of range for dim 1 of self (size 3, valid -3..2)" SELF);
  assert_fails(strew_select(t, 0, INT64_MIN, &out, &failure), STREW_EINDEX,
               "select: 'position' -9223372036854775808 is out of range for dim 0 of self (size 2, valid -2..1)" SELF);
  assert_fails(strew_select(t, -2, 2, &out, &failure), STREW_EINDEX,
               "select: 'position' 2 is out of range for dim 0 of self (size 2, valid -2..1)" SELF
               "\n  hint  counted from 1? positions count from 0, and -1 is the last");
  ck_assert_int_eq(failure.value.as.i, 2);
  assert_fails(strew_select(t, 2, 0, &out, &failure), STREW_ESHAPE,
               "select: 'dim' is 2, out of range for 2 dimensions (valid -2..1)" SELF);
  assert_fails(strew_select(scalar, 0, 0, &out, &failure), STREW_ESHAPE,
               "select: 'self' has no dimensions, expected at least 1\n"
               "  self  int8[] cpu\n"
               "  hint  strew_item(self) gives its number");
  ck_assert_ptr_null(out);
  strew_release(t), strew_release(scalar);
}
END_TEST

START_TEST(narrow_and_slice_errors) {
  strew_tensor *t = matrix(), *scalar = scalar_tensor(STREW_INT8, strew_int(1)), *out = NULL;
  assert_fails(strew_narrow(t, 1, 4, 0, &out, &failure), STREW_EINDEX,
               "narrow: 'start' is 4, out of range for dim 1 of self (size 3, valid -3..3)" SELF);
  assert_fails(strew_narrow(t, 1, -4, 1, &out, &failure), STREW_EINDEX,
               "narrow: 'start' is -4, out of range for dim 1 of self (size 3, valid -3..3)" SELF);
  assert_fails(strew_narrow(t, 1, 1, 3, &out, &failure), STREW_EINDEX,
               "narrow: 'length' is 3, out of range from start 1 in dim 1 of self (size 3, valid 0..2)" SELF);
  assert_fails(
      strew_narrow(t, 1, -1, INT64_MAX, &out, &failure), STREW_EINDEX,
      "narrow: 'length' is 9223372036854775807, out of range from start -1 in dim 1 of self (size 3, valid 0..1)" SELF);
  assert_fails(strew_narrow(t, 0, 0, -1, &out, &failure), STREW_EINDEX,
               "narrow: 'length' is -1, out of range from start 0 in dim 0 of self (size 2, valid 0..2)" SELF);
  assert_fails(strew_slice(t, 0, 0, 2, 0, &out, &failure), STREW_EARGUMENT,
               "slice: 'step' is 0, expected 1 or more" SELF);
  assert_fails(strew_slice(t, 0, 2, 0, -1, &out, &failure), STREW_EARGUMENT,
               "slice: 'step' is -1, expected 1 or more" SELF);
  assert_fails(strew_slice(scalar, 0, 0, 1, 1, &out, &failure), STREW_ESHAPE,
               "slice: 'self' has no dimensions, expected at least 1\n"
               "  self  int8[] cpu\n"
               "  hint  strew_item(self) gives its number");
  ck_assert_ptr_null(out);
  strew_release(t), strew_release(scalar);
}
END_TEST

START_TEST(as_strided_errors) {
  const int64_t two[] = {2, 2}, ones[] = {1, 1}, wide[] = {3, 2}, none[] = {0, 5}, far = INT64_MAX;
  strew_tensor *t = matrix(), *out = NULL;
  assert_fails(strew_as_strided(t, 2, two, (const int64_t[]){1, -1}, 1, &out, &failure), STREW_ESHAPE,
               "as_strided: 'strides' is [1, -1], expected strides of 0 or more" SELF);
  assert_fails(strew_as_strided(t, 2, two, ones, -1, &out, &failure), STREW_ESHAPE,
               "as_strided: 'offset' is -1, valid 0..6" SELF);
  assert_fails(strew_as_strided(t, 2, two, ones, 7, &out, &failure), STREW_ESHAPE,
               "as_strided: 'offset' is 7, valid 0..6" SELF);
  assert_fails(
      strew_as_strided(t, 2, two, wide, 1, &out, &failure), STREW_ESHAPE,
      "as_strided: 'shape' [2, 2] with strides [3, 2] from offset 1 reaches beyond the storage's 6 elements" SELF);
  assert_fails(strew_as_strided(t, 2, (const int64_t[]){2, -2}, ones, 0, &out, &failure), STREW_ESHAPE,
               "as_strided: 'shape' has size -2 in dimension 1, expected 0 or more" SELF);
  /* sizes beyond the maximum count; also of an empty tensor, because later views multiply its sizes and strides */
  assert_fails(strew_as_strided(t, 1, two, &far, 0, &out, &failure), STREW_ESHAPE,
               "as_strided: 'shape' [2] with strides [9223372036854775807] from offset 0 reaches beyond the storage's "
               "6 elements" SELF);
  assert_fails(strew_as_strided(t, 2, none, (const int64_t[]){1, far}, 0, &out, &failure), STREW_ESHAPE,
               "as_strided: 'shape' [0, 5] with strides [1, 9223372036854775807] from offset 0 reaches beyond the "
               "storage's 6 elements" SELF);
  ck_assert_ptr_null(out);
  strew_release(t);
}
END_TEST

Suite *make_suite(void) {
  Suite *suite = suite_create("view");
  TCase *mapped = new_case(suite, "views");
  tcase_add_loop_test(mapped, views_match_index_arithmetic, 0, VIEWS);
  tcase_add_loop_test(mapped, views_of_views, 0, 60);
  tcase_add_loop_test(mapped, unsqueezed_strides, 0, 3);
  tcase_add_test(mapped, parts_of_empty_tensors);
  TCase *shapes = new_case(suite, "other shapes");
  tcase_add_loop_test(shapes, other_shapes, 0, 8);
  tcase_add_loop_test(shapes, other_shapes_of_odd_strides, 0, 4);
  tcase_add_test(shapes, flattened);
  tcase_add_test(shapes, empty_tensors_take_any_empty_shape);
  tcase_add_test(shapes, strided_anyhow);
  tcase_add_test(shapes, strided_from_a_part);
  TCase *errors = new_case(suite, "errors");
  tcase_add_test(errors, view_errors);
  tcase_add_test(errors, reshape_and_flatten_errors);
  tcase_add_test(errors, errors_of_order);
  tcase_add_test(errors, errors_of_sizes_1);
  tcase_add_test(errors, select_errors);
  tcase_add_test(errors, narrow_and_slice_errors);
  tcase_add_test(errors, as_strided_errors);
  return suite;
}
