/* throttle.c: waiting for the device, and bounding the work in its queue, so that a call can be stopped.

   No OpenCL function that waits can be interrupted. So the host enqueues a marker and polls its event: first with
   sched_yield, after 1 ms with pauses of 1/32 of the time waited. If the call stops, the marker stays in the queue,
   which is in order, so later results are right. Host memory of the process is passed to a driver only during a
   blocking call, once all commands before it are done: after a failure a driver cannot be trusted not to write there.
   Small transfers go through host memory of the driver's own (buffer.c), and poll the event of the transfer itself. */
#define _POSIX_C_SOURCE 200809L
#include "opencl.h"
#include "tuning.h"

#include <sched.h>
#include <time.h>

static int64_t fine_clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void pause_polling(int64_t waited_ns) {
  int64_t share = waited_ns / PAUSE_SHARE;
  struct timespec pause = {.tv_nsec = (long)(share < LONGEST_PAUSE_NS ? share : LONGEST_PAUSE_NS)};
  if (waited_ns < YIELD_NS)
    sched_yield();
  else
    nanosleep(&pause, NULL); /* a signal ends it early, which does no harm */
}

/* Polls until the event is complete or the call must stop. */
static strew_status wait_for(const struct call *call, strew_device *device, cl_event event) {
  struct opencl *on = opencl_of(device);
  cl_int error = cl.clFlush(on->queue), state = CL_QUEUED;
  opencl_let_signals(on);
  if (error != CL_SUCCESS) return opencl_fail(call, device, "clFlush", error);
  for (int64_t begin = fine_clock_ns();; pause_polling(fine_clock_ns() - begin)) {
    error = cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (error != CL_SUCCESS) return opencl_fail(call, device, "clGetEventInfo", error);
    if (state < 0) return opencl_fail(call, device, "a command", state);
    if (state == CL_COMPLETE) return STREW_OK;
    if (context_stops(device->context)) return context_end(call, device->context, NULL);
  }
}

strew_status opencl_wait_last(const struct call *call, strew_device *device, cl_event last) {
  struct opencl *on = opencl_of(device);
  strew_status status = wait_for(call, device, last);
  cl.clReleaseEvent(last);
  if (status != STREW_OK) return status;
  on->busy = false;
  on->staging.used = 0;
  on->batch.launches = on->batch.turns = 0;
  return STREW_OK;
}

strew_status opencl_wait(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  cl_event marker;
  if (!on->busy) return context_check(call, device->context);
  cl_int error = cl.clEnqueueMarkerWithWaitList(on->queue, 0, NULL, &marker);
  if (error != CL_SUCCESS) return opencl_fail(call, device, "clEnqueueMarkerWithWaitList", error);
  return opencl_wait_last(call, device, marker);
}

/* Waits for the batch before, and marks the end of this one. */
static strew_status close_batch(const struct call *call, strew_device *device) {
  struct opencl *on = opencl_of(device);
  RETURN_IF_FAILED(on->batch_end ? wait_for(call, device, on->batch_end) : STREW_OK);
  if (on->batch_end) cl.clReleaseEvent(on->batch_end);
  on->batch_end = NULL;
  on->batch.launches = on->batch.turns = 0;
  cl_int error = cl.clEnqueueMarkerWithWaitList(on->queue, 0, NULL, &on->batch_end);
  return error == CL_SUCCESS ? STREW_OK : opencl_fail(call, device, "clEnqueueMarkerWithWaitList", error);
}

/* Enqueued work runs on after a script is stopped, and nothing removes it. So at most two batches of launches are
   outstanding: before a third the host waits for the older one. A batch has at most as many iterations as one launch
   may have. */
strew_status opencl_throttle(const struct call *call, strew_device *device, int64_t turns) {
  struct opencl *on = opencl_of(device);
  strew_status status = context_check(call, device->context);
  bool fits = on->batch.launches < BATCH_LAUNCHES && turns <= on->most_turns - on->batch.turns;
  if (status == STREW_OK && !fits && on->batch.launches) status = close_batch(call, device);
  if (status != STREW_OK) return status;
  on->launches++;
  on->batch.launches++;
  on->batch.turns += turns;
  return STREW_OK;
}
