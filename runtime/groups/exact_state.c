/* exact_state.c: the states of exact sums as bytes: see strew_exact_sums_state. */
#include "exact_sums.h"
#include "runtime/core/base/steps.h"
#include "runtime/elementwise/shared/exact.h"

#include <inttypes.h>
#include <string.h>

enum { HEAD_BYTES = 24, CHECK_BYTES = 8, LEAST_BYTES = 8 + 1 + 2, ROWS_PER_LOOK = 1 << 12 };
static const char magic[8] = "strewsum";
enum { VERSION = 1, HAS_SQUARES = 1, IS_GIVEN = 2 };

/* Codes of dtypes, which never change. */
static const strew_dtype dtypes[] = {[1] = STREW_FLOAT16, STREW_BFLOAT16, STREW_FLOAT32,
                                     STREW_FLOAT64,       STREW_INT64,    STREW_UINT64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static void put(unsigned char *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> 8 * i);
}
static uint64_t get(const unsigned char *from, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)from[i] << 8 * i;
  return value;
}

/* FNV-1a: another byte is another sum. */
static uint64_t checksum(const unsigned char *bytes, int64_t count) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (int64_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

/* A number as a state has it: no word is 0 at its lower end, none has the sign alone at its upper one, unless that is
   needed to tell the sign. */
struct trimmed {
  int first, count;
  const uint32_t *word;
};
static struct trimmed trim(const struct numbers *numbers, int64_t i) {
  const uint32_t *words = numbers->count ? number_at(numbers, i) : NULL;
  int low = 0, high = numbers->count;
  while (low < high && !words[low]) low++;
  if (low == high) return (struct trimmed){.count = 0};
  while (high - 1 > low && words[high - 1] == number_sign(words, high - 1)) high--;
  return (struct trimmed){numbers->first + low, high - low, words + low};
}

static int64_t bytes_of_row(const strew_exact_sums *e, int64_t i) {
  int64_t bytes = 8 + 1 + 2 + 4 * trim(&e->sums, i).count;
  return e->has_squares ? bytes + 2 + 4 * trim(&e->squares, i).count : bytes;
}

static unsigned char *put_number(unsigned char *to, struct trimmed number) {
  *to++ = (unsigned char)number.first;
  *to++ = (unsigned char)number.count;
  for (int k = 0; k < number.count; k++, to += 4) put(to, number.word[k], 4);
  return to;
}

static void put_head(unsigned char *to, const strew_exact_sums *e) {
  memset(to, 0, HEAD_BYTES);
  memcpy(to, magic, sizeof magic);
  to[8] = VERSION;
  for (int k = 1; k < DTYPES; k++)
    if (e->has_dtype && dtypes[k] == e->dtype) to[9] = (unsigned char)k;
  to[10] = (unsigned char)((e->has_squares ? HAS_SQUARES : 0) | (e->is_given ? IS_GIVEN : 0));
  put(to + 16, (uint64_t)e->n, 8);
}

strew_status strew_exact_sums_state(const strew_exact_sums *e, strew_tensor **out, strew_error *error) {
  CALL_STEPS(call, steps, "exact_sums_state", error, {0});
  int64_t bytes = HEAD_BYTES + CHECK_BYTES;
  strew_context *context = e->device->context;
  for (int64_t i = 0; i < e->n && steps.status == STREW_OK; i++) {
    bytes += bytes_of_row(e, i);
    if (i % ROWS_PER_LOOK == 0) STEP(&steps, context_check(&call, context));
  }
  strew_tensor *state = step_new(&steps, &context->cpu, STREW_UINT8, 1, &bytes);
  if (!state) return steps_status(&steps);
  unsigned char *begin = state->storage->data, *to = begin + HEAD_BYTES;
  put_head(begin, e);
  for (int64_t i = 0; i < e->n && steps.status == STREW_OK; i++) {
    put(to, (uint64_t)e->counts[i], 8);
    to[8] = e->kinds[i];
    to = put_number(to + 9, trim(&e->sums, i));
    if (e->has_squares) to = put_number(to, trim(&e->squares, i));
    if (i % ROWS_PER_LOOK == 0) STEP(&steps, context_check(&call, context));
  }
  if (steps.status == STREW_OK) put(to, checksum(begin, bytes - CHECK_BYTES), CHECK_BYTES);
  return steps_give(&steps, step_to(&steps, state, e->device, STREW_UINT8), out);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

struct reading {
  const struct call *call;
  const unsigned char *begin, *at, *end; /* without the checksum */
  strew_exact_sums *e;
  int first[2], last[2]; /* words of sums and squares */
};

static strew_status fail_state(const struct reading *reading, const char *what) {
  const strew_scalar at = strew_int(reading->at - reading->begin);
  return fail(reading->call, VALUED(STREW_EFILE, "state", at),
              "has %s at byte %" PRId64 ": it is damaged, or no state of exact sums", what, at.as.i);
}

static strew_status read_head(struct reading *reading, int64_t size, int64_t *n, strew_exact_sums *head) {
  const unsigned char *from = reading->begin;
  uint64_t zeros = 0;
  if (size < HEAD_BYTES + CHECK_BYTES || memcmp(from, magic, sizeof magic) != 0) return fail_state(reading, "no mark");
  reading->at = from + 8;
  if (from[8] != VERSION)
    return fail(reading->call, VALUED(STREW_EFILE, "state", strew_int(from[8])),
                "has version %d, this version of strew reads %d", from[8], VERSION);
  for (int i = 11; i < 16; i++) zeros |= from[i];
  reading->at = from + 9;
  if (from[9] >= DTYPES || from[10] > (HAS_SQUARES | IS_GIVEN) || zeros || (from[10] & IS_GIVEN && !from[9]))
    return fail_state(reading, "an unknown mark");
  reading->at = from + 16;
  const uint64_t count = get(from + 16, 8), most = (uint64_t)(size - HEAD_BYTES - CHECK_BYTES) / LEAST_BYTES;
  if (count > most) return fail_state(reading, "a wrong number of sums");
  reading->at = reading->end;
  if (checksum(from, size - CHECK_BYTES) != get(reading->end, CHECK_BYTES))
    return fail_state(reading, "a wrong checksum");
  *head = (strew_exact_sums){.has_squares = from[10] & HAS_SQUARES, .is_given = from[10] & IS_GIVEN};
  head->has_dtype = from[9] != 0;
  if (from[9]) head->dtype = dtypes[from[9]];
  *n = (int64_t)count;
  reading->at = from + HEAD_BYTES;
  return STREW_OK;
}

/* A number that `bits` and a sign hold; where: 0 of sums, 1 of squares. */
static strew_status read_number(struct reading *reading, int which, int64_t terms, bool is_whole) {
  enum { LIMIT = 255, UP = -SUM_UNIT % NUMBER_WORD, WORD = -SUM_UNIT / NUMBER_WORD };
  const unsigned char *from = reading->at;
  if (reading->end - from < 2) return fail_state(reading, "no number");
  const int first = from[0], count = from[1];
  if (reading->end - from - 2 < 4 * count) return fail_state(reading, "a cut number");
  reading->at = from + 2 + 4 * count;
  const int carries = terms > 1 ? 64 - __builtin_clzll((unsigned long long)terms - 1) : 0;
  const int bits = (which ? SQUARE_BITS : SUM_BITS) + carries;
  if (!count) return first ? fail_state(reading, "a wrong number") : STREW_OK;
  const uint32_t lowest = (uint32_t)get(from + 2, 4), top = (uint32_t)get(from + 4 * count - 2, 4);
  const uint32_t below = count > 1 ? (uint32_t)get(from + 4 * count - 6, 4) : 0, sign = top >> 31 ? UINT32_MAX : 0;
  const int length = (first + count) * NUMBER_WORD - (top == sign ? NUMBER_WORD : __builtin_clz(top ^ sign));
  const bool is_long = count > 1 && top == (below >> 31 ? UINT32_MAX : 0);
  const bool has_fraction = is_whole && !which && (first < WORD || (first == WORD && lowest & ((1u << UP) - 1)));
  if (!terms || !lowest || is_long || length > bits || has_fraction || (which && sign))
    return reading->at = from, fail_state(reading, "a wrong number");
  if (first < reading->first[which]) reading->first[which] = first;
  if (first + count > reading->last[which]) reading->last[which] = first + count;
  return STREW_OK;
}

static strew_status read_row(struct reading *reading, const strew_exact_sums *head) {
  const unsigned char *from = reading->at;
  if (reading->end - from < LEAST_BYTES) return fail_state(reading, "no sum");
  const uint64_t terms = get(from, 8);
  const unsigned kinds = from[8];
  const bool is_whole = head->has_dtype && !dtype_is_float(head->dtype);
  if (terms > INT64_MAX) return fail_state(reading, "a wrong count");
  if (kinds > 8 || kinds & (kinds - 1) || (kinds && (!terms || is_whole)))
    return reading->at = from + 8, fail_state(reading, "a wrong kind");
  if (terms && !head->has_dtype) return fail_state(reading, "a count without a dtype");
  reading->at = from + 9;
  RETURN_IF_FAILED(read_number(reading, 0, kinds ? 0 : (int64_t)terms, is_whole));
  return head->has_squares ? read_number(reading, 1, kinds ? 0 : (int64_t)terms, is_whole) : STREW_OK;
}

static strew_status check_rows(struct reading *reading, const strew_exact_sums *head, int64_t n,
                               strew_context *context) {
  for (int64_t i = 0; i < n; i++) {
    if (i % ROWS_PER_LOOK == 0) RETURN_IF_FAILED(context_check(reading->call, context));
    RETURN_IF_FAILED(read_row(reading, head));
  }
  return reading->at == reading->end ? STREW_OK : fail_state(reading, "more bytes");
}

/* Copies a number whose bytes are checked; returns what follows it. */
static const unsigned char *copy_number(const unsigned char *from, struct numbers *to, int64_t i) {
  const int first = from[0], count = from[1];
  from += 2;
  if (!count) return from;
  uint32_t *words = to->word + i * to->count;
  for (int k = 0; k < count; k++, from += 4) words[first - to->first + k] = (uint32_t)get(from, 4);
  const uint32_t sign = words[first - to->first + count - 1] >> 31 ? UINT32_MAX : 0;
  for (int k = first - to->first + count; k < to->count; k++) words[k] = sign;
  return from;
}

static strew_status copy_rows(struct reading *reading, strew_exact_sums *e) {
  struct numbers *to[] = {&e->sums, &e->squares};
  strew_context *context = e->device->context;
  for (int k = 0; k < 2; k++) {
    if (!reading->last[k]) continue;
    RETURN_IF_FAILED(numbers_widen(reading->call, context, e->n, to[k], reading->first[k], reading->last[k]));
    to[k]->used = reading->last[k];
  }
  const unsigned char *from = reading->begin + HEAD_BYTES;
  for (int64_t i = 0; i < e->n; i++) {
    e->counts[i] = (int64_t)get(from, 8);
    e->kinds[i] = from[8];
    if (e->counts[i] > e->most) e->most = e->counts[i];
    from = copy_number(from + 9, &e->sums, i);
    if (e->has_squares) from = copy_number(from, &e->squares, i);
    if (i % ROWS_PER_LOOK == 0) RETURN_IF_FAILED(context_check(reading->call, context));
  }
  return STREW_OK;
}

strew_status strew_exact_sums_from_state(strew_tensor *state, strew_device *device, strew_exact_sums **out,
                                         strew_error *error) {
  CALL_STEPS(call, steps, "exact_sums", error, {"state", state});
  char text[TEXT_BYTES];
  strew_exact_sums head = {.n = 0}, *e = NULL;
  int64_t n = 0;
  if (tensor_context(state) != device->context) return fail_context(&call, "state", "belongs to");
  if (state->dtype != STREW_UINT8)
    return fail(&call, FAULT(STREW_EDTYPE, "state"), "is %s, expected uint8", strew_dtype_name(state->dtype));
  if (state->rank != 1)
    return fail(&call, FAULT(STREW_ESHAPE, "state"), "has shape %s, expected rank 1",
                text_of_sizes(state->rank, state->sizes, text));
  strew_tensor *here = step_to(&steps, state, &device->context->cpu, STREW_UINT8);
  here = here ? step_copy(&steps, here, STREW_UINT8) : NULL; /* nobody else writes to it */
  if (!here) return steps_status(&steps);
  const int64_t size = here->sizes[0];
  struct reading reading = {.call = &call, .begin = here->storage->data, .first = {INT16_MAX, INT16_MAX}};
  reading.at = reading.begin;
  reading.end = reading.begin + (size > CHECK_BYTES ? size - CHECK_BYTES : 0);
  STEP(&steps, read_head(&reading, size, &n, &head));
  STEP(&steps, check_rows(&reading, &head, n, device->context));
  STEP(&steps, exact_sums_create(&call, device, n, &e));
  if (steps.status != STREW_OK) return steps_status(&steps);
  e->has_squares = head.has_squares;
  e->is_given = head.is_given;
  e->has_dtype = head.has_dtype;
  e->dtype = head.dtype;
  if (STEP(&steps, copy_rows(&reading, e)) != STREW_OK) return strew_exact_sums_release(e), steps_status(&steps);
  return *out = e, STREW_OK;
}
