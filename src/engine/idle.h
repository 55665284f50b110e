/* Says when the daemon is idle: nothing is left that would happen by itself (`run --until-idle`,
 * docs/rules.md).
 *
 * Threads: main. Ownership: main.
 */
#pragma once
#include "engine/service/service.h"

typedef struct _Idle Idle;
Idle *idle_new (Service *service);
void idle_free (Idle *idle); /* NULL: nothing */
/* Every partition read to its end, nothing ready, due or unpublished. Looks at most every 20 ms. */
gboolean idle_reached (Idle *idle);
