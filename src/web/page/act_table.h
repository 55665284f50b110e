/* What people can do by the page, as one table. Each is a command: the page does nothing itself
 * (act_run.h).
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "web/page/who.h"

#define ACT_PATH "/act"

/* What it is done to. */
typedef enum { ACT_OF_ALL, ACT_OF_RUN, ACT_OF_JOB, ACT_OF_ROW, ACT_OF_HOLD } ActOf;

typedef struct {
  const char *name; /* the command */
  ActOf of;
  Role role;             /* who may */
  const char *button;    /* what it says */
  const char *says;      /* what follows from it, a sentence */
  const char *states;    /* of a run, `held,dead`: where it can be done; NULL: anywhere */
  gboolean counts;       /* shows a number of rows, which is to be typed */
  gboolean wants_reason; /* the command refuses to go without */
  const char *option[2]; /* a further option of the command, and what it is; NULL: none */
} Act;

/* All of them; the last has no name. */
extern const Act ACTS[];
/* NULL: there is none. */
const Act *act_find (const char *name);
/* Whether `[http] actions` is on. */
gboolean act_is_on (void);
/* Where COMMAND, as views show it, can be done by a click; NULL: nowhere. g_free it. */
char *act_link (const char *command);
