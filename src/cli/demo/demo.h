/* What the demo works with. Made by setup.c, run by demo.c, shown by show.c.
 *
 * Threads: main only. Ownership: demo.c.
 */
#pragma once
#include "cli/cli.h"
#include "cli/demo/child.h"
#include "cli/demo/server.h"

#define DEMO_SELF "/proc/self/exe"

typedef struct {
  Cli *cli;
  char *folder, *conf, *log; /* everything is below the folder */
  char *objects;             /* the local store */
  char *prefix;              /* of the topics */
  char *bootstrap;           /* of the Kafka that is used; NULL: not known yet */
  gboolean somebodys;        /* it was there before us */
  DemoServer *server;
  Child *daemon;
  Pg *pg;
  PgRows *before; /* counts */
  guint files;    /* in the store, before */
  guint ticks;    /* sent */
  gint64 began_us;
} Demo;

/* A line that stands out where there are colours. */
void demo_title (Demo *demo, const char *text);

/* TRUE: Ctrl-C or SIGTERM has come; then ERROR says so. */
gboolean demo_is_interrupted (GError **error);

/* A statement of src/cli/demo/sql in a transaction of its own. */
PgRows *demo_ask (Demo *demo, const char *file, GError **error);

/* Each step says what went wrong, in ERROR. */
gboolean demo_make_server (Demo *demo, GError **error);  /* and connects */
gboolean demo_fill (Demo *demo, GError **error);         /* tables, rows, files, schema pruned */
gboolean demo_start_daemon (Demo *demo, GError **error); /* and knows where its Kafka is */
/* FALSE: it has ended by itself; ERROR says its last words. */
gboolean demo_daemon_is_there (Demo *demo, GError **error);
/* Looks on, with a live line, until nothing is left to be done soon, or for 40 s. */
gboolean demo_watch (Demo *demo, GError **error);
/* What the database has become, what was announced, what failed. */
gboolean demo_show (Demo *demo, GError **error);
gboolean demo_tick (Demo *demo, const char *job, GError **error);
/* Runs `pruned` with ARGUMENTS (closed by NULL) as a reader would, showing the command and what it
 * says. */
gboolean demo_type (Demo *demo, GError **error, const char *argument, ...) G_GNUC_NULL_TERMINATED;
