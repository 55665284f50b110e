/* The second stage of users_destroy.h, and what still refers to the user.
 *
 * Threads: a worker. Ownership: as Destroy.
 */
#pragma once
#include "destroy.h"

/* FOUND by a look. TRUE with *MORE: the step's limit is reached. */
gboolean users_destroy_references (Destroy *destroy, const PgRows *found, gboolean *more,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The columns (`name`) that still refer to the user. To queue the question, prepare it before
 * anything else is queued: this can ask the catalogue. */
PgRows *users_destroy_look (Destroy *destroy, GError **error);
gboolean users_destroy_prepare_look (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean users_destroy_queue_look (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* FALSE with an error: row-level security hides rows that could be neither moved nor kept. */
gboolean users_destroy_look_for_hidden (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* FALSE with an error: a row that is held would go with the user, or would name another one. */
gboolean users_destroy_look_for_held (Destroy *destroy, GError **error) G_GNUC_WARN_UNUSED_RESULT;
