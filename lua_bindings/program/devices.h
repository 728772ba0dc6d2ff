/* devices.h: the list of devices, for --devices and the prompt. */
#ifndef STREW_DEVICES_H
#define STREW_DEVICES_H

#include "strew.h"

/* Prints each device with its capabilities, and the reason why a device is not usable. */
void devices_print(strew_context *context);

#endif
