/* items.h: sort items: an unsigned key and a position, which breaks ties, so the order is total and stable. Narrow
   items hold a 32-bit key and position in one 64-bit word; with BROAD=1 each has a word of its own. */
#if BROAD
typedef ulong2 item;
#define LAST_ITEM (item)(~0ul)
static inline item make_item(ulong key, ulong position) { return (item)(key, position); }
static inline ulong key_in(item x) { return x.x; }
static inline ulong position_in(item x) { return x.y; }
static inline bool is_before(item a, item b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
#else
typedef ulong item;
#define LAST_ITEM (~0ul)
static inline item make_item(ulong key, ulong position) { return key << 32 | position; }
static inline ulong key_in(item x) { return x >> 32; }
static inline ulong position_in(item x) { return x & 0xffffffffu; }
static inline bool is_before(item a, item b) { return a < b; }
#endif
