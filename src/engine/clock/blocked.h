/* Ticks that ended `blocked` (something that their job needs is missing): the latest one of a job
 * and its arguments is remembered in pruned.blocked, for whoever has to see it (`doctor`, metrics),
 * and asked again until it ends otherwise.
 *
 * Threads: the dispatcher's. Ownership: none.
 */
#pragma once
#include "engine/service/service.h"

/* Once a second: what is settled is forgotten, what is due is asked again. */
gboolean blocked_look (Service *service, Pg *pg, GError **error) G_GNUC_WARN_UNUSED_RESULT;
