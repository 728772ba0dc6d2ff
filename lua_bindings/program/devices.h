/* devices.h: the list of devices, for --devices and the prompt. */
#ifndef STREW_DEVICES_H
#define STREW_DEVICES_H

#include "strew.h"

/* Prints what there is, what each can do, and what is not usable for which reason. */
void devices_print(strew_context *context);

#endif
