/* group.h: a prefix sum over a work-group of GROUP_SIZE work-items. All of them must call it. */

/* The sum of `value` over the work-items before this one; *total is that over all. `sums` holds GROUP_SIZE numbers and
   may be reused at once. */
static inline ulong group_prefix_sum(ulong value, __local ulong *sums, ulong *total) {
  const uint me = (uint)get_local_id(0);
  sums[me] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < GROUP_SIZE; step *= 2) {
    const ulong before = me >= step ? sums[me - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[me] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const ulong sum = sums[me];
  *total = sums[GROUP_SIZE - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum - value;
}
