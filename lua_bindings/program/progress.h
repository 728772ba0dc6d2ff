/* progress.h: the progress line of the program's terminal. */
#ifndef STREW_PROGRESS_H
#define STREW_PROGRESS_H

#include <stdbool.h>

/* True if standard error is a terminal on which a line can be erased. */
bool progress_can_show(void);
/* A strew_options.progress function. Draws the line at most ten times a second, so that short work never shows; work
   without a known end shows at once, since it may not report again. Erases the line when the work ends and at exit. */
void progress_show(void *user, const char *doing, double done);

/* The program's strew_options.progress: counts compile time, and shows the line if the terminal allows. */
void progress_note(void *user, const char *doing, double done);
/* Seconds spent compiling kernels so far. */
double progress_seconds_compiling(void);
double progress_clock(void); /* monotonic seconds */

#endif
