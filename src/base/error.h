/* The error domain: what jobs see of it is all there is. */
#pragma once
#include "pruned/error.h"

/* Sets ERROR to PRUNED_FATAL, and returns FALSE. Thread: any. */
gboolean error_fatal (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
