/* group.h: what the GROUP_SIZE work-items of a group find out together. All of them have to come here. */

/* The sum of the values of the work-items before this one, and of all. `sums` has room for GROUP_SIZE numbers, and may
   be used again at once. */
static inline ulong group_sums_before(ulong value, __local ulong *sums, ulong *total) {
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
