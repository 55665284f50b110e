/* The error domain: what jobs see of it is all there is. */
#pragma once
#include "pruned/error.h"

/* Sets ERROR, and returns FALSE. Thread: any. */
gboolean error_set (GError **error, PrunedVerdict verdict, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
#define error_fatal(error, ...) error_set (error, PRUNED_FATAL, __VA_ARGS__)
#define error_reject(error, ...) error_set (error, PRUNED_REJECT, __VA_ARGS__)
/* The same where the answer is a pointer: NULL. */
#define error_null(error, verdict, ...) (error_set (error, verdict, __VA_ARGS__), NULL)
