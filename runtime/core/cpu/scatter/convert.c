/* convert.c: a src of another dtype than self's, converted block by block on its way into the loops. */
#include "scattering.h"

/* Room for INDEX_BLOCK elements of any dtype. */
union converted {
  double align;
  char bytes[INDEX_BLOCK * 8];
};

static bool join_converted_line(const struct conversion *conversion, const struct tile *tile, struct tile *piece,
                                char *block) {
  const int64_t size = conversion->to_bytes;
  conversion->convert(tile->rows, block, size, tile->source.src, tile->source.row);
  piece->source.row = size;
  return conversion->join(conversion->loops, piece);
}

/* True if src's rows are adjacent. */
static bool src_rows_are_adjacent(const struct conversion *conversion, const struct tile *tile) {
  const int64_t size = conversion->from_bytes;
  return tile->source.column == size && tile->source.row == tile->columns * size;
}

static int64_t rows_of_block(const struct conversion *conversion, const struct tile *tile) {
  return (int64_t)sizeof(union converted) / (conversion->to_bytes * tile->columns);
}

/* Adjacent rows are converted together. */
static bool join_rows_together(const struct conversion *conversion, const struct tile *tile, struct tile *piece,
                               char *block) {
  const int64_t most = rows_of_block(conversion, tile);
  bool out_of_range = false;
  piece->source.row = conversion->to_bytes * tile->columns;
  for (int64_t begin = 0, end; begin < tile->rows; begin = end) {
    end = least(tile->rows, begin + most);
    const struct tile rows = tile_rows(tile, begin, end);
    conversion->convert(rows.rows * rows.columns, block, conversion->to_bytes, rows.source.src, rows.source.column);
    piece->rows = rows.rows;
    piece->source.index = rows.source.index;
    piece->target.self = rows.target.self;
    out_of_range |= conversion->join(conversion->loops, piece);
  }
  return out_of_range;
}

/* The owned rows alone are converted, one by one. Those that share their self are joined together. */
static bool join_owned_rows(const struct conversion *conversion, const struct tile *tile, const struct tile *piece,
                            char *block) {
  const int64_t size = conversion->to_bytes, most = rows_of_block(conversion, tile);
  int64_t list[INDEX_BLOCK], values[INDEX_BLOCK];
  struct tile own = *piece;
  bool out_of_range = false;
  const int64_t count = scatter_list_owned(tile, 0, tile->rows, list, &out_of_range);
  own.source.row = size * tile->columns;
  own.source.index = values;
  own.rows = 0;
  for (int64_t k = 0; k < count; k++) {
    const int64_t i = list[k];
    conversion->convert(tile->columns, block + own.rows * own.source.row, size, tile->source.src + i * tile->source.row,
                        tile->source.column);
    values[own.rows++] = tile->source.index[i];
    own.target.self = tile->target.self + i * tile->target.row;
    if (own.rows < most && tile->target.row == 0) continue;
    conversion->loops->join(&own, own.rows, NULL);
    own.rows = 0;
  }
  if (own.rows) conversion->loops->join(&own, own.rows, NULL);
  return out_of_range;
}

/* Rows longer than a block are converted in chunks of INDEX_BLOCK columns. */
static bool join_long_rows(const struct conversion *conversion, const struct tile *tile, struct tile *piece,
                           char *block) {
  int64_t list[INDEX_BLOCK];
  bool out_of_range = false;
  const int64_t count = scatter_list_owned(tile, 0, tile->rows, list, &out_of_range);
  piece->rows = 1;
  for (int64_t k = 0; k < count; k++) {
    const int64_t i = list[k];
    piece->source.index = tile->source.index + i;
    for (int64_t j = 0; j < tile->columns; j += INDEX_BLOCK) {
      piece->columns = least(tile->columns - j, INDEX_BLOCK);
      conversion->convert(piece->columns, block, conversion->to_bytes,
                          tile->source.src + i * tile->source.row + j * tile->source.column, tile->source.column);
      piece->target.self = tile->target.self + i * tile->target.row + j * tile->target.column;
      conversion->loops->join(piece, 1, NULL);
    }
  }
  return out_of_range;
}

/* Adjacent rows are converted together if this thread owns all of them, or if they are too narrow for a call each. */
bool scatter_join_converted(const struct conversion *conversion, const struct tile *tile) {
  union converted block;
  struct tile piece = *tile;
  const struct owned *owned = &tile->target.owned;
  piece.source.src = block.bytes;
  piece.source.column = conversion->to_bytes;
  if (tile->columns == 1) return join_converted_line(conversion, tile, &piece, block.bytes);
  if (tile->columns > INDEX_BLOCK) return join_long_rows(conversion, tile, &piece, block.bytes);
  if (src_rows_are_adjacent(conversion, tile) && (tile->columns < CONVERT_NARROW || owned->count == owned->size))
    return join_rows_together(conversion, tile, &piece, block.bytes);
  return join_owned_rows(conversion, tile, &piece, block.bytes);
}
