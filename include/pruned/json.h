/* JSON values are jansson's (json_t). This is the one place that includes its header.
 *
 * Ownership: as jansson says (json_decref); `g_autoptr (json_t)` works.
 * Threads: any; a value belongs to one thread at a time.
 */
#pragma once
#include <glib.h>
#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)
