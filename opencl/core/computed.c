/* computed.c: operands whose elements kernels compute where they read them (kernels/computed.h). */
#include "opencl.h"

#include <stdio.h>
#include <string.h>

/* Describes the program. True if a kernel can compute it: it has few arguments and one dimension (else each element would
   take a division), and its loops are within the device's limit. */
static bool describe_computed(struct computed *computed, const struct launch *launch, size_t words, int64_t loops) {
  const struct opencl *on = opencl_of(launch->device);
  const struct plan *plan = &computed->program->plan;
  bool is_unit = plan->rank == 1;
  if (plan->rank > 1) return false;
  for (int i = 1; i < plan->count; i++)
    is_unit = is_unit && (plan->operands[i].strides[0] == 1 || program_has_table(computed->program, i));
  instructions_describe(launch->call, computed->program, &computed->described);
  if (is_unit) strcat(computed->described.settings, " UNIT");
  words += 3 * (size_t)plan->count + (size_t)computed->described.number_count;
  return words * sizeof(int64_t) <= on->argument_bytes && loops <= on->longest_loop / computed->cost / LOOPS_PER_TURN;
}

/* Stores elements that no kernel computes. */
static void store_computed(struct computed *computed, struct launch *launch, struct operand *operand) {
  struct elementwise_plan plan = *computed->program;
  const uint64_t bytes = (uint64_t)plan_numel(&plan.plan) * dtype_bytes(operand->dtype);
  computed->program = NULL, computed->cost = 1;
  computed->stored.data = launch_scratch(launch, bytes);
  plan.plan.operands[0].storage = &computed->stored;
  TRY(launch->status, launch->device->ops->elementwise->elementwise(launch->call, launch->device, &plan));
}

void computed_start(struct computed *computed, struct launch *launch, struct operand *operand, size_t words,
                    int64_t loops) {
  computed->program = operand->storage ? operand->storage->program : NULL;
  computed->cost = computed->program ? program_cost(computed->program) : 1;
  computed->bad = NULL;
  if (computed->program) {
    computed->stored = (struct storage){.device = launch->device}; /* without memory */
    operand->storage = &computed->stored;
    if (describe_computed(computed, launch, words, loops)) {
      computed->bad = taken_start(launch, computed->program);
      return;
    }
    store_computed(computed, launch, operand);
  }
  snprintf(computed->described.settings, LONGEST_SETTINGS, "S=%s", dtype_suffix(operand->dtype));
}

void computed_bind(struct launch *launch, const struct computed *computed) {
  if (!computed->program) return;
  const struct plan *plan = &computed->program->plan;
  for (int i = 1; i < plan->count; i++) {
    launch_memory(launch, &plan->operands[i]);
    launch_ints(launch, plan->rank ? plan->operands[i].strides[0] : 0);
  }
  launch_numbers(launch, &computed->described);
  if (computed->bad) launch_blocks(launch, computed->bad);
}

void computed_end(struct launch *launch, const struct computed *computed) {
  if (computed->program) taken_end(launch, computed->program, computed->bad);
}
